import type { JsonObject } from '../../core/json.ts';

/**
 * What negotiation in place learned on a stdio wire. `initialize` is the verbatim InitializeResult where the pipelined
 * handshake was what the server answered; the connection then answers the SDK's own initialize from it.
 */
export type ProbeAnswer =
  | { readonly era: 'modern'; readonly discover: JsonObject; readonly cacheable: true }
  | { readonly era: 'legacy'; readonly initialize?: JsonObject; readonly cacheable: boolean };

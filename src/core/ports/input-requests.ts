import type { AgentId, ServerKey } from '../ids.ts';
import type { JsonObject } from '../json.ts';

/** What a server may ask of the person or client behind a call. */
export type InputMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question of a server, either pushed (2025) or part of a multi-round request (2026-07-28). */
export interface InputRequest {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly method: InputMethod;
  /** Verbatim. */
  readonly params: JsonObject;
}

/** An edge that can answer servers: the CLI on a terminal, the page, a client that supports elicitation. */
export interface InputRequests {
  /** The client capabilities to declare, e.g. `{ elicitation: { form: {}, url: {} } }`; `{}` declares none and nothing is asked. */
  readonly capabilities: JsonObject;
  /** Gives the method's result, e.g. `{ action: 'decline' }`. */
  answer(request: InputRequest, signal: AbortSignal): Promise<JsonObject>;
}

/** Nobody is there to answer, so servers are told so from the start. */
export const noInput: InputRequests = {
  capabilities: {},
  answer: () => Promise.resolve({ action: 'decline' }),
};

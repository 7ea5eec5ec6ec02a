import type { Client, Tool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../core/json.ts';
import type { Definition, Progress } from '../core/words.ts';
import type { Answer, Tap } from '../runners/transport/tap.ts';

/** The methods whose answers we keep verbatim. */
export type Method =
  | 'tools/list'
  | 'resources/list'
  | 'resources/templates/list'
  | 'prompts/list'
  | 'tools/call'
  | 'resources/read'
  | 'prompts/get'
  | 'completion/complete'
  | 'logging/setLevel'
  | 'resources/subscribe'
  | 'resources/unsubscribe';

/** One request of ours. */
export interface Request {
  readonly method: Method;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Whose request it is: the origin of what the server says on its stream. */
  readonly sender?: object;
  /** The tool's own definition: the HTTP wire gets its `Mcp-Param-*` headers from it. */
  readonly definition?: Definition;
}

/** How a request ended: what the server answered, or why there is no answer. */
export type Outcome = Answer | { readonly kind: 'none'; readonly sent: boolean; readonly cause: unknown };

/** The longest that a timer can wait. Our own deadlines end a request, because they can pause; the SDK's cannot. */
export const never = 2_147_483_647;

/**
 * Sends one request through the SDK and gives back the answer verbatim. Its frame is handed to the wire before anything
 * but microtasks ran. Never rejects.
 */
export async function sendRequest(client: Client, tap: Tap, request: Request): Promise<Outcome> {
  const { method, signal, definition, onProgress, sender } = request;
  using exchange = tap.follow({ ...(onProgress && { onProgress }), ...(sender && { sender }) });
  const _meta = { ...(request.params._meta as JsonObject | undefined), ...exchange.meta };
  const params = { ...request.params, _meta };
  // A token goes out only with a listener; what it hears comes from the tap.
  const options = { signal, timeout: never, onprogress: () => {} };
  try {
    if (definition === undefined) await client.request({ method, params }, options);
    else {
      // Without its output schema: the SDK would refuse a result that does not fit, or to send at all.
      const toolDefinition = { ...definition, outputSchema: undefined } as unknown as Tool;
      await client.callTool(params as unknown as { name: string }, { ...options, toolDefinition });
    }
  } catch (cause) {
    return exchange.answer ?? { kind: 'none', sent: exchange.sent, cause };
  }
  return exchange.answer ?? { kind: 'none', sent: exchange.sent, cause: undefined };
}

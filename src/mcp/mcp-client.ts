import type { CallerScope } from '../core/caller-scope.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { ServerQuestion } from '../core/ports/call-client.ts';
import type { Caller, Era } from '../core/words.ts';

/** Who is connected, proven by its token, and through which of the two paths. */
export interface McpClient {
  /** Owns sessions, parked requests and kept results; the token's own id. */
  readonly id: string;
  readonly agentId: AgentId;
  readonly caller: Caller;
  /** What its token lets it see, as it is now; nothing once it is revoked. */
  readonly scope: () => CallerScope;
  /** Of `/mcp/:server`; undefined where all servers are meant. */
  readonly server: ServerKey | undefined;
}

/** One request of a client while it is answered, whatever carries it. */
export interface Exchange {
  readonly client: McpClient;
  readonly era: Era;
  /** As its client declared them: at `initialize`, or with this request (2026-07-28). */
  readonly capabilities: JsonObject;
  /** The request's `_meta`. */
  readonly meta: JsonObject;
  /** Requests of one session are one client's; without sessions, those with one token. */
  readonly identity: string;
  /** Fires when the client cancels it or goes away. */
  readonly signal: AbortSignal;
  /** Fires when nobody reads its stream any more, though the client might come back for it (2025). */
  readonly hungUp?: AbortSignal;
  /** Of 2025 clients: what outlives the request. */
  readonly session: SessionState | undefined;
  /** False between two rounds of the request: then its client is away with a question. */
  isThere(): boolean;
  /** Tells the client something about this very request, before its answer. */
  notify(method: string, params: JsonObject): void;
  /** Puts a server's questions to the client; see `CallClient.ask`. */
  ask(questions: Readonly<Record<string, ServerQuestion>>, signal: AbortSignal): Promise<JsonObject>;
}

/** What a 2025 client has said for the life of its session. */
export interface SessionState {
  /** The lowest level of log messages it wants; none until it says so. */
  logLevel: string | undefined;
  /** Resource subscriptions, by URI. */
  readonly subscriptions: Map<string, AsyncDisposable>;
  /** Tells the client something that belongs to no request. */
  notify(method: string, params: JsonObject): void;
}

/** The token of a request's progress, if it wants to hear of any. */
export function progressToken({ meta }: Pick<Exchange, 'meta'>): string | number | undefined {
  const { progressToken: token } = meta;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** True where a client declared a feature: a dotted path into its capabilities. */
export function clientHas({ capabilities }: Pick<Exchange, 'capabilities'>, feature: string): boolean {
  let at: unknown = capabilities;
  for (const name of feature.split('.')) {
    at = typeof at === 'object' && at !== null ? (at as JsonObject)[name] : undefined;
  }
  return typeof at === 'object' && at !== null;
}

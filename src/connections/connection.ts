import type { Authorisation } from '../core/authorisation.ts';
import type { AgentId, Digest, Epoch, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { CallClient } from '../core/ports/call-client.ts';
import type {
  Definition,
  Diagnostic,
  Era,
  Progress,
  RawResult,
  SelfDescription,
  TransportName,
} from '../core/words.ts';

/** Where a connection is in its one life; docs/connections.md draws it. */
export type ConnectionState =
  | { readonly name: 'opening' }
  | { readonly name: 'negotiating' }
  | { readonly name: 'discovering' }
  | { readonly name: 'ready' }
  | { readonly name: 'closing' }
  | { readonly name: 'closed'; readonly reason: string }
  | { readonly name: 'close-failed'; readonly reason: string };

/** Everything that a server offers, verbatim; what was set aside is told in `diagnostics`. */
export interface Discovery {
  readonly tools: readonly Definition[];
  readonly resources: readonly Definition[];
  readonly templates: readonly Definition[];
  readonly prompts: readonly Definition[];
  readonly diagnostics: readonly Diagnostic[];
  /** Absent where nothing of it was kept. */
  readonly said?: SelfDescription;
  /** Only of what is remembered of a server: the digests of its definitions. */
  readonly digests?: ReadonlyMap<Definition, Digest>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  /** Whom the server may ask and tell something while the call runs; nobody if not said. */
  readonly client?: CallClient;
  /** Milliseconds without progress, then `timeout` (default: the server's `callIdle`). */
  readonly idleTimeout?: number;
  /** Milliseconds in all, then `timeout` (default: the server's `callTotal`). */
  readonly totalTimeout?: number;
}

/** What a server says unasked. */
export interface Notice {
  readonly method:
    | 'notifications/message'
    | 'notifications/resources/updated'
    /** 2025: what a person was asked to do at a URL is done. */
    | 'notifications/elicitation/complete';
  /** Verbatim. */
  readonly params: JsonObject;
  /** True for a log message that the client of a running call was told already. */
  readonly toCall: boolean;
}

/** One negotiated MCP client with its epoch. */
export interface Connection {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly epoch: Epoch;
  readonly era: Era;
  readonly transport: TransportName;
  /** The negotiated revision (R45). */
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly state: ConnectionState;
  /** Asks the connection, never the kind of server, whether a feature may be used (R47); a dotted path into the capabilities. */
  supports(capability: string): boolean;
  /**
   * Reads every list, page by page, within the discovery deadline (R48). Its first success makes the connection `ready`.
   * Rejects with `discovery-failed`, `timeout`, `cancelled` or `connection-lost`; the connection itself stays as it was.
   */
  discover(signal: AbortSignal): Promise<Discovery>;
  /**
   * Makes ready what a call for that client needs, before the call is decided about; undefined where nothing is to be
   * done. Rejects only with the signal's reason.
   */
  prepare?(client: CallClient | undefined, signal: AbortSignal): Promise<void> | undefined;
  /**
   * Sends the one operation that the authorisation was minted for; its write happens in the same tick.
   * Resolves with the result verbatim (`isError` included). Rejects with `timeout`, `cancelled`, `server-error`,
   * `connection-lost` (never sent) or `unknown-outcome` (sent, then lost).
   */
  call(authorisation: Authorisation, options?: CallOptions): Promise<RawResult>;
  /**
   * Asks the server for a sign of life, after a time in which this machine slept. One that gives none within that many
   * milliseconds is taken for lost: the connection ends by itself. Never rejects.
   */
  checkLife(limit: number): Promise<void>;
  /** Calls back when the server says that a list changed (R43). Returns the way to stop listening. */
  onListChanged(listener: () => void): () => void;
  /** Calls back at what the server says unasked. Returns the way to stop listening. */
  onNotice(listener: (notice: Notice) => void): () => void;
  /**
   * Sets the lowest level of log messages that a 2025 server sends; does nothing where that cannot be set: without the
   * `logging` capability, and on 2026-07-28, where each call says what it wants. Rejects with `server-error`,
   * `connection-lost` or `timeout`.
   */
  setLogLevel(level: string): Promise<void>;
  /**
   * Asks to be told of changes of the resource that the authorisation was minted for: they come as notices. Rejects with
   * `forged-authorisation`, with `protocol-error` where the server does not tell any, else as `setLogLevel` does.
   */
  subscribe(authorisation: Authorisation): Promise<void>;
  /** Ends that; does nothing for a resource that is not subscribed to. */
  unsubscribe(uri: string): Promise<void>;
  /** Settles as soon as no call is accepted any more: it is being closed, or its server went away. Never rejects. */
  readonly ended: Promise<{ readonly reason: string }>;
  stderrTail(): readonly string[];
  stderrCount(): number;
  diagnostics(): readonly Diagnostic[];
  /**
   * Graceful budget, then a forced one of the same length (R51, R52). Callers may go away, the budgets belong to the
   * connection (R53); a second call joins a running close, or retries a failed one with fresh budgets (R54).
   * Rejects with `close-failed` while anything of ours is left.
   */
  close(): Promise<void>;
}

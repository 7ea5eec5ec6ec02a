import type { Connection } from '../../connections/connection.ts';
import type { CallerScope } from '../../core/caller-scope.ts';
import type { AgentId, DispatchId, ServerKey } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { CallClient } from '../../core/ports/call-client.ts';
import type { Caller, Diagnostic, Handle, HandleKind, Progress, RawResult } from '../../core/words.ts';
import type { Approval } from '../approvals/approval.ts';

/** One call of a tool, one read of a resource, one request for a prompt, or the completion of an argument, as an edge asks for it. */
export interface Call {
  readonly agentId: AgentId;
  readonly caller: Caller;
  /**
   * What the caller reaches, asked anew at every step, so that another scope holds for calls that wait, too. What is out
   * of it is refused as if it were not there. Not said: everything but managing servers.
   */
  readonly scope?: () => CallerScope;
  /** A handle is bound to its connection (R40); a name means whichever handle has it now. */
  readonly handle: Handle | string;
  /** What the name is a name of; `tool` if not said. */
  readonly kind?: HandleKind;
  /** Of a template: `{ uri }`, the resource to read. */
  readonly arguments: JsonObject;
  /**
   * Completes one argument of the prompt or template instead of calling it: nobody is asked, and nothing happens where no
   * call could pass the rules. Needs the server's `completions` capability.
   */
  readonly completes?: Completes | undefined;
  /** Further `_meta` members to pass on (traceparent …). */
  readonly meta?: JsonObject;
  readonly onprogress?: (progress: Progress) => void;
  /** Who can be asked and told something while it runs; nobody if not said. */
  readonly client?: CallClient;
  /** Milliseconds, see CallOptions of the connection. Waiting for a person counts in neither. */
  readonly idleTimeout?: number;
  readonly totalTimeout?: number;
  /** Told when the call has to wait for the operator, so that the edge can say where to decide. */
  readonly onasked?: (approval: Approval) => void;
  /** Milliseconds of waiting for the operator, then `approval-pending`; the question stays. For ever if not said. */
  readonly patience?: number;
}

/** What is to be completed, verbatim: the argument as far as it was typed, and what was filled in before. */
export interface Completes {
  readonly argument: JsonObject;
  readonly context?: JsonObject;
}

/** What a call that ran gives back. A tool's own failure (`isError`) is a result, not an error. */
export interface Dispatched {
  /** Verbatim. */
  readonly result: RawResult;
  /** What is doubtful about the result, e.g. `output-mismatch`; never a reason to lose it. */
  readonly warnings: readonly Diagnostic[];
  readonly dispatchId: DispatchId;
}

/** The one way to a server's tools, resources and prompts. Rejects with a LongshoreError; the signal ends wait and call. */
export type Dispatch = (call: Call, signal: AbortSignal) => Promise<Dispatched>;

/** What dispatch needs of a connection. */
export type LiveConnection = Pick<Connection, 'epoch' | 'state' | 'prepare' | 'call'>;

/** What dispatch needs of the many connections. */
export interface Fleet {
  /** The ready connection of a server, if it has one now. */
  connection(agentId: AgentId, ownerKey: ServerKey): LiveConnection | undefined;
  /** The ready connection, after starting the server where it sleeps; its handles are mounted by then. */
  wake(agentId: AgentId, ownerKey: ServerKey, signal: AbortSignal): Promise<LiveConnection>;
}

import type { MCPServerConfig } from '../config/types.ts';
import type { LongshoreError } from '../core/errors.ts';
import type { AgentId, HandleName, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { CallClient } from '../core/ports/call-client.ts';
import type { Caller, Diagnostic, Handle, Progress, ServerKind, TransportName } from '../core/words.ts';
import type { Approval } from '../governance/approvals/approval.ts';
import type { Dispatched } from '../governance/dispatch/call.ts';
import type { Explanation } from '../runners/explanation.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { SaveSettings } from '../servers/add-server.ts';
import type { PlanSettings } from '../servers/plan.ts';
import type { UnloadOutcome } from '../servers/remove-server.ts';
import type { SavedServers } from '../servers/saved-servers.ts';
import type { ServerInfo } from '../servers/server-info.ts';
import type { AgentApprovals, AgentAudit, AgentRules } from './agent-governance.ts';

/** A mounted tool as an embedding program sees it; bound to the connection that advertised it (R40). */
export interface Tool {
  /** The handle's name: what `call` takes. */
  readonly name: HandleName;
  readonly server: ServerKey;
  /** The name that the server itself uses. */
  readonly tool: string;
  readonly description: string | undefined;
  /** Verbatim, as the server sent it (R37). */
  readonly inputSchema: JsonObject;
  /** The negotiated revision of its connection (R45). */
  readonly protocol_version: string;
  readonly handle: Handle;
}

/** What `load` may be told besides the ref: environment, container limits, deadlines, who may stop it, and whether to save it. */
export interface LoadOptions extends SaveSettings {
  /** Saves it once it runs, so that it is there at the next start of the host (R68); default false. */
  readonly save?: boolean;
  /** Who saves it; default `library`. */
  readonly actor?: Caller;
  /** Aborts the load; it then rejects only after everything that it opened is gone (R50). */
  readonly signal?: AbortSignal;
  readonly onPhase?: OnPhase;
}

/** A server that was loaded. */
export interface LoadedServer {
  readonly server: ServerKey;
  readonly kind: ServerKind;
  readonly transport: TransportName;
  readonly protocol_version: string;
  /** Verbatim, as the server introduced itself. */
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
  /** True if it is saved as it runs now. */
  readonly saved: boolean;
  /** Why it was not saved although that was asked for: then only one part of the load was done (R68). */
  readonly saveError: LongshoreError | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  /** Milliseconds without progress, and in all; waiting for a person counts in neither. */
  readonly idleTimeout?: number;
  readonly totalTimeout?: number;
  /** Whom its server may ask and tell something while it runs; default: `clientFor` of the host. */
  readonly client?: CallClient;
  /** Told when the call has to wait for the operator. */
  readonly onasked?: (approval: Approval) => void;
  /**
   * Milliseconds of waiting for the operator, then `approval-pending`; the question stays, and once it is approved the
   * next identical call runs. Default: as long as the question is open where somebody watches, else not at all.
   */
  readonly patience?: number;
}

/** Whoever owns servers and calls tools. Agents of one host never see each other's servers. */
export interface Agent extends AsyncDisposable {
  readonly agentId: AgentId;
  /** Starts a server and mounts its tools: a server ref (an image, a saved name), or a config (D1). */
  load(ref: string | MCPServerConfig, options?: LoadOptions): Promise<LoadedServer>;
  /** Stops a server and starts it anew: containers are recreated, every handle is withdrawn (R40, R57). */
  reload(ref: string, options?: Pick<LoadOptions, 'signal' | 'onPhase'>): Promise<LoadedServer>;
  /**
   * Stops a server and forgets it, a saved image too (R32); a saved config stays saved. `unknown-server` if there is
   * nothing to unload, `close-failed` while something of it is left.
   */
  unload(ref: string, options?: { readonly actor?: Caller }): Promise<UnloadOutcome>;
  /** The saved servers, for somebody who changes them; default `library`. */
  saved(actor?: Caller): SavedServers;
  /** Every server of this agent: those loaded in their order, then those only saved. */
  list(): Promise<readonly ServerInfo[]>;
  /**
   * What starting a server would do: its effective command with secrets masked, isolation and risks. Runs nothing.
   * Takes what `load` takes, and servers that are loaded.
   */
  explain(ref: string | MCPServerConfig, settings?: PlanSettings): Promise<Explanation>;
  /** The last lines that a server wrote to stderr, oldest first; also of one that failed. */
  logs(ref: string): Promise<readonly string[]>;
  /** All tools that can be called now. */
  tools(): readonly Tool[];
  /**
   * Calls a tool through governed dispatch. A Tool or Handle is refused as `stale-handle` once its connection is gone;
   * a name means whichever tool has it now. A tool's own failure (`isError`) is a result, not an error.
   */
  call(tool: Tool | Handle | string, args?: JsonObject, options?: CallOptions): Promise<Dispatched>;
  readonly rules: AgentRules;
  readonly approvals: AgentApprovals;
  readonly audit: AgentAudit;
  /** Removes the server's container or process first, then closes its transport; awaited (R3). An unknown name is fine. */
  cleanupMcpTransport(serverName: string): Promise<void>;
  /** Cleans up every server of this agent (R4); rejects naming those that are left. A second call is a no-op. */
  dispose(): Promise<void>;
}

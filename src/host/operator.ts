import type { LoadReport, OperatorContext } from '../commands/operator-context.ts';
import type { MCPServerConfig } from '../config/types.ts';
import type { AgentId, ApprovalId, RuleId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Caller, Handle, TransportName } from '../core/words.ts';
import type { Approval, Verdict } from '../governance/approvals/approval.ts';
import type { Call, Dispatched } from '../governance/dispatch/call.ts';
import type { Explanation as RuleExplanation } from '../governance/rules/policy.ts';
import type { RuleView } from '../governance/rules/rules.ts';
import type { Explanation } from '../runners/explanation.ts';
import type { SaveSettings } from '../servers/add-server.ts';
import type { FindTools } from '../servers/find-tools.ts';
import type { SavedId, SavedServers } from '../servers/saved-servers.ts';
import type { StoredApproval } from '../store/approvals.ts';
import type { HandleUsage } from '../store/audit.ts';
import type { WrittenRule } from './agent-governance.ts';

/** The last lines of a server's stderr, numbered over its life. */
export interface LogTail {
  readonly server: string;
  /** Oldest first, masked. */
  readonly lines: readonly string[];
  /** The number of the line that comes next. */
  readonly next: number;
}

/** What a plan would start, as a person is told before anything runs. */
export interface ServerExplanation extends Explanation {
  readonly server: string;
  readonly name: string;
  readonly cwd: string | undefined;
  readonly transport: TransportName | 'detected';
}

/** One call that the operator makes: of a handle, as that handle's own dispatch (R36). */
export interface OperatorCall
  extends Pick<Call, 'arguments' | 'onasked' | 'onprogress' | 'patience' | 'idleTimeout' | 'totalTimeout'> {
  readonly handle: Handle;
}

/** One agent as its operator sees it through one door (`rest`, `page` …): everything is done in the operator's name. */
export interface Operator extends OperatorContext {
  readonly agentId: AgentId;
  readonly saved: SavedServers;
  /** What names the saved servers, without looking at each of them. */
  savedIds(): Promise<readonly SavedId[]>;
  readonly tools: FindTools;
  /** Stops a server and starts it anew, whatever has kept it from starting. */
  reload(ref: string, signal: AbortSignal): Promise<LoadReport>;
  /** What `load` would start for a ref or config; runs nothing. */
  explain(server: string | MCPServerConfig, settings?: SaveSettings): Promise<ServerExplanation>;
  /** Throws `unknown-server`. */
  logs(ref: string): Promise<LogTail>;
  call(call: OperatorCall, signal: AbortSignal): Promise<Dispatched>;
  /** How the agent's handles were used lately. */
  usage(): Promise<readonly HandleUsage[]>;
  readonly rules: {
    list(): readonly RuleView[];
    add(rule: WrittenRule): Promise<RuleView>;
    remove(id: RuleId): Promise<void>;
    why(handle: Handle, args: JsonObject, caller: Caller): RuleExplanation;
  };
  readonly approvals: {
    /** Oldest first. */
    open(): readonly Approval[];
    get(id: ApprovalId): Approval | undefined;
    /** Newest first. */
    history(limit: number): Promise<readonly StoredApproval[]>;
    /** Any question that was ever asked, as it is on disk. */
    stored(id: ApprovalId): Promise<StoredApproval | undefined>;
    decide(id: ApprovalId, verdict: Verdict): Promise<Approval>;
    /** All of its arguments, known secrets by their names; recorded. */
    reveal(id: ApprovalId): Promise<string>;
  };
}

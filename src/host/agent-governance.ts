import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ApprovalId, RuleId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Caller, Handle, Level } from '../core/words.ts';
import type { Approval, Verdict } from '../governance/approvals/approval.ts';
import type { OperatorProof } from '../governance/approvals/operator-proof.ts';
import type { ApprovalEvent } from '../governance/approvals/questions.ts';
import type { AuditVerdict } from '../governance/audit/audit-verify.ts';
import type { Governance } from '../governance/governance.ts';
import type { Registry } from '../governance/registry/registry.ts';
import type { Explanation } from '../governance/rules/policy.ts';
import type { Rule } from '../governance/rules/rule.ts';
import type { RuleView } from '../governance/rules/rules.ts';
import type { StoredApproval } from '../store/approvals.ts';
import type { AuditFilter, AuditRow } from '../store/audit.ts';

/** A rule as a person writes it: `allow` `filesystem.read_* when path startsWith /srv/` (docs/governance.md). */
export interface WrittenRule {
  readonly level: Level;
  readonly pattern: string;
  readonly reason?: string;
}

/** An agent's standing decisions. Changing them needs the operator: `host.operator`. */
export interface AgentRules {
  list(): readonly RuleView[];
  /** Throws `usage` where the pattern cannot be read, `denied` for a false proof, `cannot-record`. */
  add(operator: OperatorProof, rule: WrittenRule): Promise<Rule>;
  remove(operator: OperatorProof, id: RuleId): Promise<void>;
  /** Which rule decides about a call, and which one it beat. Throws `unknown-tool`. */
  why(tool: Handle | string, args?: JsonObject, caller?: Caller): Explanation;
}

/** An agent's questions to the operator. */
export interface AgentApprovals {
  /** The open ones, oldest first. */
  open(): readonly Approval[];
  get(id: ApprovalId): Approval | undefined;
  /** Newest first, those of earlier runs too. */
  history(limit?: number): Promise<readonly StoredApproval[]>;
  decide(operator: OperatorProof, id: ApprovalId, verdict: Verdict): Promise<Approval>;
  /** While somebody listens, calls that are asked about wait; else they are told `approval-pending` at once (B8). */
  onEvent(listener: (event: ApprovalEvent) => void): () => void;
}

/** What was recorded of an agent. */
export interface AgentAudit {
  list(filter?: Partial<Omit<AuditFilter, 'agentId'>>): Promise<readonly AuditRow[]>;
  export(filter?: Pick<Partial<AuditFilter>, 'handleName' | 'decision' | 'since'>): AsyncIterable<AuditRow>;
  /** Checks the whole chain of the home, all agents, against its signed checkpoint. */
  verify(): Promise<AuditVerdict>;
}

/** One agent's view of what governs its calls. */
export function agentRules(agentId: AgentId, { rules }: Governance, registry: Registry): AgentRules {
  return {
    list: () => rules.list(agentId),
    add: (operator, rule) => rules.add(operator, { agentId, ...rule }),
    remove: (operator, id) => rules.remove(operator, agentId, id),
    why(tool, args, caller = 'library') {
      const handle = typeof tool === 'string' ? registry.lookup(agentId, tool) : tool;
      if (handle?.agentId === agentId) return rules.why(handle, caller, args);
      throw new LongshoreError(
        'unknown-tool',
        `There is no tool ${JSON.stringify(tool)}. List them to see what there is.`,
      );
    },
  };
}

/** See `agentRules`. */
export function agentApprovals(agentId: AgentId, { approvals }: Governance, watch: ApprovalWatch): AgentApprovals {
  return {
    open: () => approvals.open(agentId),
    get: id => approvals.get(agentId, id),
    history: (limit = 100) => approvals.history(agentId, limit),
    decide: (operator, id, verdict) => approvals.decide(operator, agentId, id, verdict),
    onEvent(listener) {
      const stop = approvals.onEvent(event => {
        if (event.approval.agentId === agentId) listener(event);
      });
      const leave = watch.join(agentId);
      return () => {
        stop();
        leave();
      };
    },
  };
}

/** See `agentRules`. */
export function agentAudit(agentId: AgentId, { audit }: Governance): AgentAudit {
  return {
    list: (filter = {}) => audit.list({ ...filter, agentId }),
    export: (filter = {}) => audit.export({ ...filter, agentId }),
    verify: () => audit.verify(),
  };
}

/** Who watches for questions: where nobody does, nobody would ever answer. */
export class ApprovalWatch {
  readonly #watchers = new Map<AgentId | null, number>();

  /** Counts a watcher of one agent, or with `null` of all; returns the way to leave. */
  join(agentId: AgentId | null): () => void {
    this.#watchers.set(agentId, (this.#watchers.get(agentId) ?? 0) + 1);
    let joined = true;
    return () => {
      if (joined) this.#watchers.set(agentId, (this.#watchers.get(agentId) ?? 1) - 1);
      joined = false;
    };
  }

  watches(agentId: AgentId): boolean {
    return (this.#watchers.get(agentId) ?? 0) > 0 || (this.#watchers.get(null) ?? 0) > 0;
  }
}

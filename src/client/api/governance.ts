import type { JsonValue } from '../../core/json.ts';
import type { HandleKind, RawResult } from '../../core/words.ts';

export type Level = 'allow' | 'ask' | 'always-ask' | 'deny';
export type Scope = 'once' | 'session' | 'always';

/** GET /api/approvals (open ones, oldest first; `?state=all&limit=N`: newest first, ended ones too), GET /api/approvals/:id. */
export interface ApprovalView {
  readonly id: string;
  readonly agentId: string;
  /** `operator`, `library` or `client:<name>`. */
  readonly caller: string;
  readonly server: string;
  readonly handleName: string;
  readonly kind: HandleKind;
  /** The server's own name of the tool; null for a question of an earlier run. */
  readonly tool: string | null;
  /** The arguments as JSON text, masked. */
  readonly args: string;
  /** Why it is asked; null for a question of an earlier run. */
  readonly because: string | null;
  /** What changed in the definition since it was allowed. */
  readonly changed: readonly { readonly path: string; readonly before?: JsonValue; readonly after?: JsonValue }[];
  /** What an approval may reach. */
  readonly scopes: readonly Scope[];
  readonly state: 'pending' | 'awaiter-gone' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'invalidated';
  readonly scope: Scope | null;
  /** Of a rejection, a cancellation or an invalidation. */
  readonly reason: string | null;
  /** The door through which the operator decided. */
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** How the call ended, once it ran; only from GET /api/approvals/:id. */
  readonly outcome?: { readonly status: string; readonly message: string | null; readonly result?: RawResult };
}

/** POST /api/approvals/:id; answers the `ApprovalView` as it is then. 404 `unknown-approval`, 409 `approval-closed`. */
export type DecideRequest =
  | { readonly approve: true; readonly scope?: Scope }
  | { readonly approve: false; readonly reason?: string };

/** GET /api/rules. */
export interface RuleView {
  readonly id: string;
  /** Null: for every agent. */
  readonly agentId: string | null;
  readonly level: string;
  readonly pattern: string;
  readonly lifetime: 'persistent' | 'session';
  readonly source: 'operator' | 'approval' | 'host';
  readonly reason: string | null;
  /** True if it is about one definition of a tool. */
  readonly pinned: boolean;
  readonly state: 'active' | 'schema-changed' | 'unreadable';
  readonly problem: string | null;
  readonly createdAt: number;
}

/** PUT /api/rules; answers the `RuleView`. DELETE /api/rules/:id answers `Done`, or 404 `unknown-rule`. */
export interface PutRuleRequest {
  readonly level: Level;
  readonly pattern: string;
  readonly reason?: string;
}

/** GET /api/rules/why?tool=NAME&args=JSON&caller=: which rule decides about a call, and which one it beat. */
export interface WhyAnswer {
  readonly tool: string;
  readonly level: string;
  readonly because: string;
  readonly rule: RuleView | null;
  readonly beat: RuleView | null;
  /** A permission that is inert because the definition changed. */
  readonly changed: RuleView | null;
}

/**
 * GET /api/audit, of all agents and the home itself, or with ?agent= of one agent: `?handle=`, `?decision=`, `?since=` (milliseconds), `?after=` and `?before=` (`seq`), `?limit=` (at most
 * 1000), `?order=newest-first` (so if not said) or `oldest-first`.
 */
export type AuditAnswer = readonly AuditRowView[];

/** One row of the record, as stored and hashed; masked. */
export interface AuditRowView {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly dispatch_id: string | null;
  readonly agent_id: string | null;
  readonly caller: string | null;
  readonly owner_key: string | null;
  readonly handle_name: string | null;
  readonly handle_kind: string | null;
  readonly wire_name: string | null;
  readonly epoch: string | null;
  readonly protocol_version: string | null;
  readonly definition_digest: string | null;
  readonly args_digest: string | null;
  readonly args: string | null;
  readonly decision: string | null;
  readonly rule_id: string | null;
  readonly approval_id: string | null;
  readonly action: string | null;
  readonly subject: string | null;
  readonly status: string | null;
  readonly message: string | null;
  readonly latency_ms: number | null;
  readonly result_size: number | null;
  readonly prev: string;
  readonly hash: string;
}

/** GET /api/audit/verify: the whole chain of the home. */
export interface AuditVerifyAnswer {
  readonly ok: boolean;
  readonly rows: number;
  readonly problems: readonly { readonly seq: number; readonly problem: string; readonly message: string }[];
}

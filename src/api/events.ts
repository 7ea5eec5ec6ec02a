import type { HealthState } from '../core/server-health.ts';
import type { ApprovalView } from './approvals.ts';

/**
 * GET /api/events: server-sent events, of all agents, each with `agentId` in its data. `hello` or `resync` comes first
 * (event-stream.ts); the others are named here with what is in their data.
 */
export interface EventData {
  readonly 'approval.added': ApprovalView;
  readonly 'approval.changed': ApprovalView;
  /** Decided. */
  readonly 'approval.resolved': ApprovalView;
  /** Ended without a decision. */
  readonly 'approval.withdrawn': ApprovalView;
  /** A server is in another state, or in another phase of starting. */
  readonly 'server.state': {
    readonly agentId: string;
    readonly server: string;
    readonly state: HealthState;
    readonly sentence: string;
  };
  readonly 'tools.changed': { readonly agentId: string; readonly server: string };
  /** Saved, changed, enabled, disabled or removed. */
  readonly 'servers.changed': { readonly agentId: string };
  readonly 'rules.changed': { readonly agentId: string | null };
  /** A catalog is being read: what is going on, for a person. */
  readonly 'catalog.progress': { readonly agentId: null; readonly catalog: string; readonly line: string };
  /** A client got a token, lost it, or has another scope now. */
  readonly 'callers.changed': { readonly agentId: string; readonly caller: string };
}

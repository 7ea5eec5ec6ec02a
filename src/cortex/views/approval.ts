import { type ApprovalView, approvalScope, approvalState } from '../../api/approvals.ts';
import type { Approval } from '../../governance/approvals/approval.ts';
import type { StoredApproval } from '../../store/approvals.ts';

/** A question of this run. */
export function approvalView(approval: Approval): ApprovalView {
  const {
    id,
    agentId,
    caller,
    handle,
    args,
    unseen,
    because,
    misfits = [],
    meta,
    changed = [],
    scopes,
    state,
    createdAt,
    expiresAt,
  } = approval;
  return {
    id,
    agentId,
    caller,
    server: handle.ownerKey,
    handleName: handle.handleName,
    kind: handle.kind,
    tool: handle.wireName,
    args,
    unseen,
    because,
    misfits: [...misfits],
    meta: meta ?? null,
    changed,
    scopes,
    state: state.name,
    scope: 'scope' in state ? state.scope : null,
    reason: 'reason' in state ? state.reason : null,
    decidedBy: 'by' in state ? state.by : null,
    createdAt,
    expiresAt,
  };
}

/** A question as it is stored: of this run or an earlier one. */
export function storedApprovalView(stored: StoredApproval): ApprovalView {
  const { id, agentId, caller, ownerKey, handleName, kind, args, reason, decidedBy, createdAt, expiresAt } = stored;
  return {
    id,
    agentId,
    caller,
    server: ownerKey,
    handleName,
    kind,
    tool: null,
    args,
    unseen: { folded: 0, cut: 0 },
    because: null,
    misfits: [],
    meta: null,
    changed: [],
    scopes: [],
    // A state or scope that a newer version wrote is told as the nearest that is known.
    state: approvalState.options.find(state => state === stored.state) ?? 'cancelled',
    scope: approvalScope.options.find(scope => scope === stored.scope) ?? null,
    reason,
    decidedBy,
    createdAt,
    expiresAt,
  };
}

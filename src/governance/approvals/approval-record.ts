import { LongshoreError } from '../../core/errors.ts';
import type { ApprovalEnd, StoredApproval } from '../../store/approvals.ts';
import type { ChangeEntry } from '../audit/audit.ts';
import type { Rules } from '../rules/rules.ts';
import type { Approval, ApprovalState, Question, Scope } from './approval.ts';

/** The scopes that would hold: a rule that outranks a permission makes it an empty promise, and always-ask allows none. */
export function scopesFor({ handle, caller, args, dispatchId }: Question, rules: Rules): readonly Scope[] {
  if (rules.policy.decide(handle, caller, args).level !== 'ask') return ['once'];
  // Which approval it comes from makes no difference to what it would decide.
  const permission = { handle, caller, approvalId: dispatchId as string as Approval['id'] };
  const holds = (lifetime: 'session' | 'persistent') =>
    rules.policyWith({ ...permission, lifetime }).decide(handle, caller, args).level === 'allow';
  return [
    'once',
    ...(holds('session') ? ['session' as const] : []),
    ...(holds('persistent') ? ['always' as const] : []),
  ];
}

/** The question as a row of its table. */
export function storedApproval(approval: Approval): StoredApproval {
  const { id, dispatchId, agentId, caller, handle, argsDigest, args, createdAt, expiresAt } = approval;
  const { ownerKey, handleName, kind, epoch, definitionDigest } = handle;
  const { state, scope, reason, decidedBy } = endOf(approval.state, createdAt);
  return {
    id,
    dispatchId,
    agentId,
    caller,
    ownerKey,
    handleName,
    kind,
    epoch,
    definitionDigest,
    argsDigest,
    args,
    state,
    scope,
    reason,
    decidedBy,
    createdAt,
    expiresAt,
    closedAt: null,
  };
}

/** A state as the columns that tell how a question ended. */
export function endOf(state: ApprovalState, at: number): ApprovalEnd {
  return {
    state: state.name,
    scope: 'scope' in state ? state.scope : null,
    reason: 'reason' in state ? state.reason : null,
    decidedBy: 'by' in state ? state.by : null,
    closedAt: at,
  };
}

/** What the audit says of a question that came to this state. */
export function approvalChange(
  approval: Approval,
  state: ApprovalState,
  caller: string,
  question?: Question,
): ChangeEntry {
  const { handle } = approval;
  return {
    action: `approval_${state.name === 'pending' ? 'asked' : state.name}`,
    subject: handle.handleName,
    agentId: approval.agentId,
    caller,
    detail: {
      approval_id: approval.id,
      dispatch_id: approval.dispatchId,
      owner_key: handle.ownerKey,
      handle_name: handle.handleName,
      handle_kind: handle.kind,
      wire_name: handle.wireName,
      epoch: handle.epoch,
      definition_digest: handle.definitionDigest,
      args_digest: approval.argsDigest,
      decision: 'scope' in state ? state.scope : null,
      message: 'reason' in state ? state.reason : null,
      ...(question === undefined ? {} : { args: question.args }),
    },
  };
}

/** What the waiting call is told of a question that ended without a yes. */
export function refusalOf({ id, handle, state }: Approval): LongshoreError {
  const data = { approvalId: id };
  const name = handle.handleName;
  switch (state.name) {
    case 'rejected':
      return new LongshoreError('approval-rejected', `The operator rejected this call of ${name}: ${state.reason}`, {
        data,
      });
    case 'expired':
      return new LongshoreError(
        'approval-expired',
        `Nobody decided about this call of ${name} in time. Call again to ask again.`,
        { data },
      );
    case 'invalidated':
      return new LongshoreError(
        'stale-handle',
        `${name} was withdrawn (${state.reason}) while the call waited for approval. List the tools again and call the new one.`,
        { data },
      );
    case 'cancelled':
      return new LongshoreError('server-closing', `The question about ${name} was closed. ${state.reason}`, { data });
    case 'approved':
    case 'pending':
    case 'awaiter-gone':
      return new LongshoreError('approval-pending', `This call of ${name} waits for approval ${id}.`, { data });
  }
}

/** What a decision is told that comes too late: it does nothing and writes no rule (R41). */
export function tooLate({ id, handle, state }: Approval): LongshoreError {
  const data = { approvalId: id, state: state.name };
  if (state.name === 'invalidated') {
    return new LongshoreError(
      'stale-handle',
      `${handle.handleName} was withdrawn (${state.reason}); nothing was decided.`,
      { data },
    );
  }
  return new LongshoreError('approval-closed', `This question is ${state.name} already; nothing was decided.`, {
    data,
  });
}

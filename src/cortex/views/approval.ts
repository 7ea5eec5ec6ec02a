import { z } from '@hono/zod-openapi';
import type { ApprovalView } from '../../client/api-types.ts';
import { handleKinds } from '../../core/words.ts';
import type { Approval } from '../../governance/approvals/approval.ts';
import type { StoredApproval } from '../../store/approvals.ts';
import { instant, jsonValue, maybe, rawResult } from './common.ts';

const states = ['pending', 'awaiter-gone', 'approved', 'rejected', 'expired', 'cancelled', 'invalidated'] as const;

export const scopeSchema = z.enum(['once', 'session', 'always']);

export const approvalSchema = z
  .object({
    id: z.string(),
    agentId: z.string(),
    caller: z.string(),
    server: z.string(),
    handleName: z.string(),
    kind: z.enum(handleKinds),
    tool: z.string().nullable(),
    args: z.string(),
    because: z.string().nullable(),
    changed: z.array(z.object({ path: z.string(), before: maybe(jsonValue), after: maybe(jsonValue) })),
    scopes: z.array(scopeSchema),
    state: z.enum(states),
    scope: scopeSchema.nullable(),
    reason: z.string().nullable(),
    decidedBy: z.string().nullable(),
    createdAt: instant,
    expiresAt: instant,
    outcome: maybe(z.object({ status: z.string(), message: z.string().nullable(), result: maybe(rawResult) })),
  })
  .openapi('Approval') satisfies z.ZodType<ApprovalView>;

/** A question of this run. */
export function approvalView(approval: Approval): ApprovalView {
  const { id, agentId, caller, handle, args, because, changed = [], scopes, state, createdAt, expiresAt } = approval;
  return {
    id,
    agentId,
    caller,
    server: handle.ownerKey,
    handleName: handle.handleName,
    kind: handle.kind,
    tool: handle.wireName,
    args,
    because,
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
    because: null,
    changed: [],
    scopes: [],
    // A state or scope that a newer version wrote is told as the nearest that is known.
    state: states.find(state => state === stored.state) ?? 'cancelled',
    scope: scopeSchema.options.find(scope => scope === stored.scope) ?? null,
    reason,
    decidedBy,
    createdAt,
    expiresAt,
  };
}

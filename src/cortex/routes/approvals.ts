import { z } from '@hono/zod-openapi';
import type { ApprovalView } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { AgentId, ApprovalId, HandleName } from '../../core/ids.ts';
import type { HostService } from '../../host/host-service.ts';
import type { Operator } from '../../host/operator.ts';
import type { RecentResults } from '../recent-results.ts';
import type { AddRoute } from '../route-maker.ts';
import { approvalSchema, approvalView, scopeSchema, storedApprovalView } from '../views/approval.ts';
import { maybe, wholeNumber } from '../views/common.ts';

const byId = z.object({ id: z.string().min(1).max(100) });

const decision = z
  .union([
    z.strictObject({ approve: z.literal(true), scope: maybe(scopeSchema) }),
    z.strictObject({ approve: z.literal(false), reason: maybe(z.string().max(1_000)) }),
  ])
  .openapi('Decision');

/** The questions to the operator, and the answers. */
export function approvalRoutes(on: AddRoute, service: HostService, results: RecentResults): void {
  on(
    'GET /api/approvals',
    {
      summary:
        'The questions that wait for a decision, oldest first; with state=all those that ended too, newest first',
      query: z.object({
        state: z.enum(['open', 'all']).default('open'),
        limit: wholeNumber(1, 1_000).default(100),
      }),
      answer: z.array(approvalSchema),
    },
    async ({ operator, query: { state, limit } }) => {
      const { approvals } = await operator();
      if (state === 'open') return approvals.open().slice(0, limit).map(approvalView);
      return (await approvals.history(limit)).map(stored => {
        // What is stored lags behind by the moment of a write.
        const live = approvals.get(stored.id);
        return live ? approvalView(live) : storedApprovalView(stored);
      });
    },
  );
  on(
    'GET /api/approvals/:id',
    {
      summary: 'One question: where it stands, and how its call ended once it ran',
      params: byId,
      answer: approvalSchema,
    },
    async ({ operator, params: { id } }) => {
      const view = await approvalOf(await operator(), id);
      return { ...view, ...(await outcomeOf(view, service, results)) };
    },
  );
  on(
    'POST /api/approvals/:id',
    {
      summary: 'Approve or reject; the first decision wins',
      params: byId,
      body: decision,
      answer: approvalSchema,
    },
    async ({ operator, params: { id }, body }) => {
      const { approvals } = await operator();
      return approvalView(await approvals.decide(id as ApprovalId, body));
    },
  );
}

async function approvalOf({ approvals }: Operator, id: string): Promise<ApprovalView> {
  const live = approvals.get(id as ApprovalId);
  if (live) return approvalView(live);
  const stored = await approvals.stored(id as ApprovalId);
  if (stored) return storedApprovalView(stored);
  throw new LongshoreError('unknown-approval', `There is no question ${JSON.stringify(id)}. List the approvals.`);
}

/** How the call ended that ran by this approval, from the record; its result if it was given here lately. */
async function outcomeOf(
  { id, handleName, agentId, state, createdAt }: ApprovalView,
  { record }: HostService,
  results: RecentResults,
): Promise<Pick<ApprovalView, 'outcome'>> {
  if (state !== 'approved') return {};
  const rows = await record.list({
    agentId: agentId as AgentId,
    handleName: handleName as HandleName,
    approvalId: id,
    since: createdAt,
    order: 'oldest-first',
    limit: 100,
  });
  // The call that asked and was told to wait has an outcome too, and did not run.
  const row = rows.find(({ kind, decision }) => kind === 'outcome' && decision === 'user_approved');
  if (!row) return {};
  const result = row.dispatch_id === null ? undefined : results.get(row.dispatch_id);
  return { outcome: { status: row.status ?? 'unknown', message: row.message, ...(result && { result }) } };
}

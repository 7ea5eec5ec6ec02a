import type { ApprovalView } from '../../api/approvals.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { AgentId, ApprovalId, HandleName } from '../../core/ids.ts';
import type { HostService } from '../../host/host-service.ts';
import type { Operator } from '../../host/operator.ts';
import type { RecentResults } from '../recent-results.ts';
import type { AddRoute } from '../route-maker.ts';
import { approvalView, storedApprovalView } from '../views/approval.ts';

/** The questions to the operator, and the answers. */
export function approvalRoutes(on: AddRoute, service: HostService, results: RecentResults): void {
  on('GET /api/approvals', async ({ operator, query: { state, limit } }) => {
    const { approvals } = await operator();
    if (state === 'open') return approvals.open().slice(0, limit).map(approvalView);
    return (await approvals.history(limit)).map(stored => {
      // What is stored lags behind by the moment of a write.
      const live = approvals.get(stored.id);
      return live ? approvalView(live) : storedApprovalView(stored);
    });
  });
  on('GET /api/approvals/:id', async ({ operator, params: { id } }) => {
    const view = await approvalOf(await operator(), id);
    return { ...view, ...(await outcomeOf(view, service, results)) };
  });
  on('POST /api/approvals/:id', async ({ operator, params: { id }, body }) => {
    const { approvals } = await operator();
    return approvalView(await approvals.decide(id as ApprovalId, body));
  });
  on('POST /api/approvals/:id/open', async ({ operator, params: { id } }) => {
    const { approvals } = await operator();
    return { args: await approvals.reveal(id as ApprovalId) };
  });
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

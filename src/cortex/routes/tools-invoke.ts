import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { Handle } from '../../core/words.ts';
import type { Approval } from '../../governance/approvals/approval.ts';
import type { Operator } from '../../host/operator.ts';
import type { RecentResults } from '../recent-results.ts';
import type { AddRoute } from '../route-maker.ts';
import { approvalView } from '../views/approval.ts';
import { readToolId } from '../views/tool.ts';

/**
 * `POST /api/tools/invoke`: the operator's own call, as the dispatch of the very handle that the id means (R36). A call
 * that has to wait for a decision is answered 202 once its patience is over.
 */
export function invokeRoute(on: AddRoute, clock: Clock, results: RecentResults): void {
  on('POST /api/tools/invoke', async ({ operator, body, signal }) => {
    const asked = await operator();
    const { toolId, arguments: args = {}, patience, idleTimeout, totalTimeout } = body;
    const handle = await meant(asked, toolId, signal);
    const began = clock.now();
    let waiting: Approval | undefined;
    const call = {
      handle,
      arguments: args,
      patience,
      ...(idleTimeout !== undefined && { idleTimeout }),
      ...(totalTimeout !== undefined && { totalTimeout }),
      onasked: (approval: Approval) => {
        waiting = approval;
      },
    };
    try {
      const { result, warnings, dispatchId } = await asked.call(call, signal);
      results.put(dispatchId, result);
      const success = result['isError'] !== true;
      const executionTimeMs = Math.max(0, clock.now() - began);
      return { ok: true, toolName: handle.handleName, success, result, executionTimeMs, warnings, dispatchId };
    } catch (error) {
      if (!(error instanceof LongshoreError) || error.code !== 'approval-pending') throw error;
      // So many of the operator's own calls wait already that this one was not even asked about.
      if (!waiting) throw new LongshoreError('too-many-requests', error.message, { cause: error });
      const { id } = waiting;
      return { approvalId: id, approval: approvalView(asked.approvals.get(id) ?? waiting) };
    }
  });
}

async function meant({ tools }: Operator, toolId: string, signal: AbortSignal): Promise<Handle> {
  const read = readToolId(toolId);
  return read ? await tools.ofSaved(read.serverId, read.tool, signal) : await tools.named(toolId, signal);
}

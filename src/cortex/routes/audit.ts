import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { auditFilter } from '../../api/audit.ts';
import type { AgentId, HandleName } from '../../core/ids.ts';
import type { HostService } from '../../host/host-service.ts';
import type { AuditFilter } from '../../store/audit.ts';
import type { CortexApp } from '../cortex-env.ts';
import { problemResponses } from '../problem.ts';
import { type AddRoute, agentQuery } from '../route-maker.ts';

/** The record of the home: its rows, whether they are sound, and all of them for elsewhere. */
export function auditRoutes(on: AddRoute, app: CortexApp, service: HostService): void {
  on('GET /api/audit', async ({ agent, query: { after, before, limit, order, ...some } }) => [
    ...(await service.record.list({
      ...(await filterOf(service, some, agent)),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      limit,
      order,
    })),
  ]);
  on('GET /api/audit/verify', async () => {
    const { ok, rows, problems } = await service.record.verify();
    return { ok, rows, problems: problems.map(({ seq: at, problem, message }) => ({ seq: at, problem, message })) };
  });
  app.openapi(exportRoute, async context => {
    const { agent, ...some } = context.req.valid('query');
    const rows = service.record.export(await filterOf(service, some, agent));
    return new Response(ndjson(rows), { headers: { 'content-type': 'application/x-ndjson' } });
  });
}

const exportRoute = createRoute({
  method: 'get',
  path: '/api/audit/export',
  summary: 'All rows from the oldest on, one JSON object a line, for whoever wants to verify or keep them elsewhere',
  request: { query: auditFilter.extend(agentQuery.shape) },
  responses: {
    200: { description: 'The rows', content: { 'application/x-ndjson': { schema: z.string() } } },
    ...problemResponses,
    // Not read as a kind of JSON, which the framework would write itself.
  } as RouteConfig['responses'],
});

async function filterOf(
  { agents }: HostService,
  { handle, decision, since }: z.output<typeof auditFilter>,
  agent: string | undefined,
): Promise<Partial<AuditFilter>> {
  return {
    ...(agent !== undefined && { agentId: (await agents.find(agent)) satisfies AgentId }),
    ...(handle !== undefined && { handleName: handle as HandleName }),
    ...(decision !== undefined && { decision }),
    ...(since !== undefined && { since }),
  };
}

const encoder = new TextEncoder();

/** As fast as it is read: a page of rows is fetched when the one before has gone out. */
function ndjson(rows: AsyncIterable<object>): ReadableStream<Uint8Array> {
  const iterator = rows[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import type { AuditRowView, AuditVerifyAnswer } from '../../client/api-types.ts';
import type { AgentId, HandleName } from '../../core/ids.ts';
import type { HostService } from '../../host/host-service.ts';
import type { AuditFilter } from '../../store/audit.ts';
import type { CortexApp } from '../cortex-env.ts';
import { problemResponses } from '../problem.ts';
import type { AddRoute } from '../route-maker.ts';
import { agentQuery, instant, wholeNumber } from '../views/common.ts';

const text = z.string().nullable();

const row = z
  .object({
    seq: z.int(),
    at: instant,
    kind: z.string(),
    dispatch_id: text,
    agent_id: text,
    caller: text,
    owner_key: text,
    handle_name: text,
    handle_kind: text,
    wire_name: text,
    epoch: text,
    protocol_version: text,
    definition_digest: text,
    args_digest: text,
    args: text,
    decision: text,
    rule_id: text,
    approval_id: text,
    action: text,
    subject: text,
    status: text,
    message: text,
    latency_ms: z.number().nullable(),
    result_size: z.number().nullable(),
    prev: z.string(),
    hash: z.string(),
  })
  .openapi('AuditRow') satisfies z.ZodType<AuditRowView>;

const verified = z
  .object({
    ok: z.boolean(),
    rows: z.int(),
    problems: z.array(z.object({ seq: z.int(), problem: z.string(), message: z.string() })),
  })
  .openapi('AuditVerified') satisfies z.ZodType<AuditVerifyAnswer>;

const filter = z.object({
  handle: z.string().min(1).max(200).optional(),
  decision: z.string().min(1).max(100).optional(),
  since: wholeNumber(0).optional(),
});

const seq = wholeNumber(0, Number.MAX_SAFE_INTEGER).optional();

/** The record of the home: its rows, whether they are sound, and all of them for elsewhere. */
export function auditRoutes(on: AddRoute, app: CortexApp, service: HostService): void {
  on(
    'GET /api/audit',
    {
      summary: 'Rows of the record, of all agents or of one',
      query: filter.extend({
        after: seq,
        before: seq,
        limit: wholeNumber(1, 1_000).default(100),
        order: z.enum(['newest-first', 'oldest-first']).default('newest-first'),
      }),
      answer: z.array(row),
    },
    async ({ agent, query: { after, before, limit, order, ...some } }) => [
      ...(await service.record.list({
        ...(await filterOf(service, some, agent)),
        ...(after !== undefined && { after }),
        ...(before !== undefined && { before }),
        limit,
        order,
      })),
    ],
  );
  on(
    'GET /api/audit/verify',
    { summary: 'Check the whole record against its chain and its signed checkpoint', answer: verified },
    async () => {
      const { ok, rows, problems } = await service.record.verify();
      return { ok, rows, problems: problems.map(({ seq: at, problem, message }) => ({ seq: at, problem, message })) };
    },
  );
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
  request: { query: filter.extend(agentQuery.shape) },
  responses: {
    200: { description: 'The rows', content: { 'application/x-ndjson': { schema: z.string() } } },
    ...problemResponses,
    // Not read as a kind of JSON, which the framework would write itself.
  } as RouteConfig['responses'],
});

async function filterOf(
  { agents }: HostService,
  { handle, decision, since }: z.output<typeof filter>,
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

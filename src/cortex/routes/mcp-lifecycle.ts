import { z } from '@hono/zod-openapi';
import type { ExplainAnswer, LoadAnswer, LogsAnswer, UnloadAnswer } from '../../client/api-types.ts';
import { load, loaded } from '../../commands/mcp-load.ts';
import { unload } from '../../commands/mcp-unload.ts';
import type { MCPServerConfig } from '../../config/types.ts';
import type { LogTail, ServerExplanation } from '../../host/operator.ts';
import type { SaveSettings } from '../../servers/add-server.ts';
import type { AddRoute } from '../route-maker.ts';
import { diagnosticSchema, maybe, wholeNumber } from '../views/common.ts';
import { answerOf, loadSchema, unloadSchema } from '../views/envelope.ts';
import { kindSchema, transportSchema } from '../views/server.ts';
import { deadlinesSchema, settingsSchema } from '../views/settings.ts';

const ref = z.string().min(1).max(2_000);
const refBody = z.object({ ref }).openapi('Ref');

const loadBody = z
  .object({
    ref,
    env: maybe(z.record(z.string().regex(/^[^=\0]+$/), z.string())),
    args: maybe(z.array(z.string())),
    settings: maybe(settingsSchema),
    deadlines: maybe(deadlinesSchema),
  })
  .openapi('Load');

const explainBody = z.union([
  loadBody,
  z.object({ config: z.looseObject({ name: z.string(), settings: maybe(settingsSchema) }) }),
]);

const explained = z
  .object({
    server: z.string(),
    name: z.string(),
    kind: kindSchema,
    argv: z.array(z.string()).nullable(),
    cwd: z.string().nullable(),
    endpoint: z.string().nullable(),
    transport: z.union([transportSchema, z.literal('detected')]),
    env: z.array(z.string()),
    headers: z.array(z.string()),
    isolation: z.array(z.string()),
    risks: z.array(diagnosticSchema),
    notes: z.array(diagnosticSchema),
  })
  .openapi('Explained') satisfies z.ZodType<ExplainAnswer>;

const logs = z
  .object({ server: z.string(), lines: z.array(z.string()), next: z.int() })
  .openapi('Logs') satisfies z.ZodType<LogsAnswer>;

/** Starting and ending servers, explaining what a start would be, and what they write to stderr. */
export function mcpLifecycleRoutes(on: AddRoute): void {
  on(
    'POST /api/mcp/load',
    { summary: 'Start a server and save it once it runs', body: loadBody, refusal: 'bad-config', answer: loadSchema },
    async ({ operator, body, signal }) =>
      answerOf<LoadAnswer>(await load(await operator(), { ref: body.ref, settings: settingsOf(body) }, signal)),
  );
  for (const verb of ['reload', 'restart'] as const) {
    on(
      `POST /api/mcp/${verb}`,
      { summary: 'Stop a server and start it anew, whatever kept it from starting', body: refBody, answer: loadSchema },
      async ({ operator, body, signal }) => {
        const asked = await operator();
        await asked.record(`mcp_${verb}`, body.ref);
        return answerOf<LoadAnswer>(loaded(await asked.reload(body.ref, signal)));
      },
    );
  }
  on(
    'POST /api/mcp/unload',
    {
      summary: 'End a server; what is saved of an image goes, a config stays saved',
      body: refBody,
      answer: unloadSchema,
    },
    async ({ operator, body }) => answerOf<UnloadAnswer>(await unload(await operator(), body.ref)),
  );
  on(
    'POST /api/mcp/explain',
    {
      summary: 'What load would start with the same body, or what a config would; runs nothing',
      body: explainBody,
      refusal: 'bad-config',
      answer: explained,
    },
    async ({ operator, body }) => {
      const asked = await operator();
      if ('ref' in body) return explainView(await asked.explain(body.ref, settingsOf(body)));
      const { settings, ...config } = body.config;
      return explainView(await asked.explain(config as unknown as MCPServerConfig, settings));
    },
  );
  on(
    'GET /api/servers/:ref/logs',
    {
      summary: 'The last lines that a server wrote to stderr; with after, only those from that number on',
      params: z.object({ ref }),
      query: z.object({
        tail: wholeNumber(0, 10_000).optional(),
        after: wholeNumber(0).optional(),
      }),
      answer: logs,
    },
    async ({ operator, params, query }) => part(await (await operator()).logs(params.ref), query),
  );
}

function settingsOf({ env, args, deadlines, settings }: Omit<z.output<typeof loadBody>, 'ref'>): SaveSettings {
  return { ...settings, ...(env && { env }), ...(args && { args }), ...(deadlines && { deadlines }) };
}

/** `after` a number that was not reached yet is of an earlier life of the service: then all lines are new. */
function part(
  { server, lines, next }: LogTail,
  { tail, after }: { tail?: number | undefined; after?: number | undefined },
): LogsAnswer {
  const first = next - lines.length;
  const wanted = after === undefined || after > next ? lines : lines.slice(Math.max(0, after - first));
  return { server, lines: tail === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - tail)), next };
}

function explainView(explanation: ServerExplanation): ExplainAnswer {
  const { server, name, kind, command, cwd, url, transport, environment, headers, isolation, risks, notes } =
    explanation;
  return {
    server,
    name,
    kind,
    argv: command.length === 0 ? null : command,
    cwd: cwd ?? null,
    endpoint: url ?? null,
    transport,
    env: environment,
    headers,
    isolation,
    risks: risks.map(({ flag, why }) => ({ code: 'risk', message: `${flag}: this server ${why}.`, data: { flag } })),
    notes: notes.map(message => ({ code: 'note', message })),
  };
}

import type { ExplainAnswer, LoadAnswer, LogsAnswer, UnloadAnswer } from '../../api/lifecycle.ts';
import { load, loaded } from '../../commands/mcp-load.ts';
import { unload } from '../../commands/mcp-unload.ts';
import type { MCPServerConfig } from '../../config/types.ts';
import type { LogTail, ServerExplanation } from '../../host/operator.ts';
import type { SaveSettings } from '../../servers/add-server.ts';
import type { AddRoute, Asked } from '../route-maker.ts';
import { answerOf } from '../views/envelope.ts';

/** Starting and ending servers, explaining what a start would be, and what they write to stderr. */
export function mcpLifecycleRoutes(on: AddRoute): void {
  on('POST /api/mcp/load', async ({ operator, body, signal }) =>
    answerOf<LoadAnswer>(await load(await operator(), { ref: body.ref, settings: settingsOf(body) }, signal)),
  );
  for (const verb of ['reload', 'restart'] as const) {
    on(`POST /api/mcp/${verb}`, async ({ operator, body, signal }) => {
      const asked = await operator();
      await asked.record(`mcp_${verb}`, body.ref);
      return answerOf<LoadAnswer>(loaded(await asked.reload(body.ref, signal)));
    });
  }
  on('POST /api/mcp/unload', async ({ operator, body }) =>
    answerOf<UnloadAnswer>(await unload(await operator(), body.ref)),
  );
  on('POST /api/mcp/explain', async ({ operator, body }) => {
    const asked = await operator();
    if ('ref' in body) return explainView(await asked.explain(body.ref, settingsOf(body)));
    const { settings, ...config } = body.config;
    return explainView(await asked.explain(config as unknown as MCPServerConfig, settings));
  });
  on('GET /api/servers/:ref/logs', async ({ operator, params, query }) =>
    part(await (await operator()).logs(params.ref), query),
  );
}

function settingsOf({
  env,
  args,
  values,
  deadlines,
  protocol,
  settings,
}: Omit<Asked<'POST /api/mcp/load'>['body'], 'ref'>): SaveSettings {
  return {
    ...settings,
    ...(env && { env }),
    ...(args && { args }),
    ...(values && { values }),
    ...(deadlines && { deadlines }),
    ...(protocol !== undefined && { protocol }),
  };
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

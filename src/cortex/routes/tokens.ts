import type { TokenView } from '../../api/tokens.ts';
import type { HostService } from '../../host/host-service.ts';
import type { ClientCaller } from '../../store/callers.ts';
import type { AddRoute } from '../route-maker.ts';

/** The clients with tokens of their own; a token itself is shown once, when it is made. */
export function tokenRoutes(on: AddRoute, { tokens, agents }: HostService): void {
  on('GET /api/tokens', async ({ agent }) => {
    const agentId = agent === undefined ? undefined : await agents.find(agent);
    return (await tokens.list()).filter(one => agentId === undefined || one.agentId === agentId).map(tokenView);
  });
  on('POST /api/tokens', async ({ agent, body, door }) => {
    const made = await tokens.create(`operator:${door}`, body.name, await agents.find(agent), body.scope);
    return { ...tokenView(made.caller), token: made.token };
  });
  on('PATCH /api/tokens/:name', async ({ params, body, door }) =>
    tokenView(await tokens.setScope(`operator:${door}`, params.name, body.scope)),
  );
  on('DELETE /api/tokens/:name', async ({ params, door }) => ({
    ok: true,
    removed: await tokens.revoke(`operator:${door}`, params.name),
  }));
}

function tokenView({ name, caller, agentId, scope, createdAt, lastUsedAt, revokedAt }: ClientCaller): TokenView {
  return { name, caller, agentId, scope, createdAt, lastUsedAt, revokedAt };
}

import { z } from '@hono/zod-openapi';
import type { CreateTokenAnswer, TokenView } from '../../client/api-types.ts';
import type { HostService } from '../../host/host-service.ts';
import type { ClientCaller } from '../../store/callers.ts';
import type { AddRoute } from '../route-maker.ts';
import { instant, maybe } from '../views/common.ts';
import { scopeChangeSchema, scopeSchema } from '../views/scope.ts';

const token = z.object({
  name: z.string(),
  caller: z.string(),
  agentId: z.string(),
  scope: scopeSchema,
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  revokedAt: instant.nullable(),
}) satisfies z.ZodType<TokenView>;

const created = token.extend({ token: z.string() }).openapi('CreatedToken') satisfies z.ZodType<CreateTokenAnswer>;

/** The clients with tokens of their own; a token itself is shown once, when it is made. */
export function tokenRoutes(on: AddRoute, { tokens, agents }: HostService): void {
  on(
    'GET /api/tokens',
    { summary: 'The clients with tokens, of all agents or of one', answer: z.array(token.openapi('Token')) },
    async ({ agent }) => {
      const agentId = agent === undefined ? undefined : await agents.find(agent);
      return (await tokens.list()).filter(one => agentId === undefined || one.agentId === agentId).map(tokenView);
    },
  );
  on(
    'POST /api/tokens',
    {
      summary: 'Make a token for a client; it is shown this once',
      body: z.object({ name: z.string().min(1).max(64), scope: maybe(scopeChangeSchema) }).openapi('NewToken'),
      answer: created,
      status: 201,
    },
    async ({ agent, body, door }) => {
      const made = await tokens.create(`operator:${door}`, body.name, await agents.find(agent), body.scope);
      return { ...tokenView(made.caller), token: made.token };
    },
  );
  on(
    'PATCH /api/tokens/:name',
    {
      summary: 'Change what the token of a client reaches; the token stays',
      params: z.object({ name: z.string().min(1).max(100) }),
      body: z.object({ scope: scopeChangeSchema }).openapi('TokenChange'),
      answer: token.openapi('Token'),
    },
    async ({ params, body, door }) => tokenView(await tokens.setScope(`operator:${door}`, params.name, body.scope)),
  );
  on(
    'DELETE /api/tokens/:name',
    {
      summary: 'Revoke the token of a client',
      params: z.object({ name: z.string().min(1).max(100) }),
      answer: z.object({ ok: z.literal(true), removed: z.boolean() }).openapi('Removed'),
    },
    async ({ params, door }) => ({ ok: true, removed: await tokens.revoke(`operator:${door}`, params.name) }),
  );
}

function tokenView({ name, caller, agentId, scope, createdAt, lastUsedAt, revokedAt }: ClientCaller): TokenView {
  return { name, caller, agentId, scope, createdAt, lastUsedAt, revokedAt };
}

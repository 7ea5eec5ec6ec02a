import { z } from '@hono/zod-openapi';
import type { CallerScope } from '../core/caller-scope.ts';
import { instant, type Json, type JsonInput, maybe, removedSchema } from './json.ts';
import type { RouteTable } from './route.ts';

const patterns = z.array(z.string().min(1).max(200)).max(200);

const members = {
  servers: z
    .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the key of a server'))
    .max(200)
    .nullable(),
  tools: patterns.nullable(),
  risk: z.enum(['all', 'read-only']),
  list: z.union([z.literal('all'), z.object({ pins: patterns })]),
  manages: z.boolean(),
};

/** What a client's token reaches, whole. */
const scope = z.object(members).openapi('CallerScope') satisfies z.ZodType<CallerScope>;

/** What of it is asked for, or changed; what is not said is not limited, or stays as it is. Patterns are read by whoever keeps it. */
const scopeChange = z
  .strictObject({
    servers: maybe(members.servers),
    tools: maybe(members.tools),
    risk: maybe(members.risk),
    list: maybe(members.list),
    manages: maybe(members.manages),
  })
  .openapi('CallerScopeChange') satisfies z.ZodType<Partial<CallerScope>>;

const fields = z.object({
  name: z.string(),
  caller: z.string(),
  agentId: z.string(),
  scope,
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  revokedAt: instant.nullable(),
});
const token = fields.openapi('Token');
export type TokenView = Json<typeof token>;

const newToken = z.object({ name: z.string().min(1).max(64), scope: maybe(scopeChange) }).openapi('NewToken');
export type CreateTokenRequest = JsonInput<typeof newToken>;

/** The only time that the token itself is shown. */
const created = fields.extend({ token: z.string() }).openapi('CreatedToken');
export type CreateTokenAnswer = Json<typeof created>;

const tokenChange = z.object({ scope: scopeChange }).openapi('TokenChange');
export type PatchTokenRequest = JsonInput<typeof tokenChange>;

const ticket = z.object({ ticket: z.string(), expiresInSeconds: z.int() }).openapi('Ticket');
export type TicketAnswer = Json<typeof ticket>;

const byName = z.object({ name: z.string().min(1).max(100) });

/** The clients with tokens of their own, revoked ones included; of all agents, or with `?agent=` of one. Fails with 404 `unknown-caller`. */
export const tokenRoutes = {
  'GET /api/tokens': { summary: 'The clients with tokens, of all agents or of one', answer: z.array(token) },
  'POST /api/tokens': {
    summary: 'Make a token for a client; it is shown this once',
    body: newToken,
    answer: created,
    status: 201,
  },
  'PATCH /api/tokens/:name': {
    summary: 'Change what the token of a client reaches; the token stays',
    params: byName,
    body: tokenChange,
    answer: token,
  },
  'DELETE /api/tokens/:name': { summary: 'Revoke the token of a client', params: byName, answer: removedSchema },
  'POST /api/tokens/:name/tickets': {
    summary: 'Make a ticket with which one client over stdio connects as this caller',
    params: byName,
    answer: ticket,
    status: 201,
  },
} as const satisfies RouteTable;

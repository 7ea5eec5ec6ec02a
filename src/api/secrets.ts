import { z } from '@hono/zod-openapi';
import { instant, type Json, type JsonInput, removedSchema } from './json.ts';
import type { RouteTable } from './route.ts';

const provider = z.enum(['keychain', 'encrypted-file']);

const secretList = z
  .object({
    /** Where they are kept; null until the first is set. */
    provider: provider.nullable(),
    secrets: z.array(z.object({ name: z.string(), provider, updatedAt: instant })),
  })
  .openapi('Secrets');
export type SecretsAnswer = Json<typeof secretList>;

const secretValue = z.object({ value: z.string() }).openapi('SecretValue');
export type PutSecretRequest = JsonInput<typeof secretValue>;

const put = z
  .object({
    ok: z.literal(true),
    provider,
    /** One sentence about where secrets are kept from now on; only at the first use in this home. */
    firstUse: z.string().nullable(),
  })
  .openapi('PutSecret');
export type PutSecretAnswer = Json<typeof put>;
export type RemoveNamedAnswer = Json<typeof removedSchema>;

const byName = z.object({ name: z.string().min(1).max(200) });

/** The secrets by name: values go in and never come out. */
export const secretRoutes = {
  'GET /api/secrets': { summary: 'The names of the stored secrets', answer: secretList },
  'PUT /api/secrets/:name': {
    summary: 'Store or replace a secret',
    params: byName,
    body: secretValue,
    answer: put,
  },
  'DELETE /api/secrets/:name': { summary: 'Remove a secret', params: byName, answer: removedSchema },
} as const satisfies RouteTable;

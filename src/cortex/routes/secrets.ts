import { z } from '@hono/zod-openapi';
import type { PutSecretAnswer, SecretsAnswer } from '../../client/api-types.ts';
import type { HostService } from '../../host/host-service.ts';
import type { AddRoute } from '../route-maker.ts';
import { instant } from '../views/common.ts';

const provider = z.enum(['keychain', 'encrypted-file']);

const list = z
  .object({
    provider: provider.nullable(),
    secrets: z.array(z.object({ name: z.string(), provider, updatedAt: instant })),
  })
  .openapi('Secrets') satisfies z.ZodType<SecretsAnswer>;

const put = z
  .object({ ok: z.literal(true), provider, firstUse: z.string().nullable() })
  .openapi('PutSecret') satisfies z.ZodType<PutSecretAnswer>;

const byName = z.object({ name: z.string().min(1).max(200) });

/** The secrets by name: values go in and never come out. */
export function secretRoutes(on: AddRoute, { secrets }: HostService): void {
  on('GET /api/secrets', { summary: 'The names of the stored secrets', answer: list }, async () => ({
    provider: (await secrets.provider()) ?? null,
    secrets: (await secrets.list()).map(({ name, provider: kept, updatedAt }) => ({ name, provider: kept, updatedAt })),
  }));
  on(
    'PUT /api/secrets/:name',
    {
      summary: 'Store or replace a secret',
      params: byName,
      body: z.object({ value: z.string() }).openapi('SecretValue'),
      answer: put,
    },
    async ({ params, body }) => {
      const { provider: kept, firstUse } = await secrets.set('operator', params.name, body.value);
      return { ok: true, provider: kept, firstUse: firstUse ?? null };
    },
  );
  on(
    'DELETE /api/secrets/:name',
    {
      summary: 'Remove a secret',
      params: byName,
      answer: z.object({ ok: z.literal(true), removed: z.boolean() }),
    },
    async ({ params }) => ({ ok: true, removed: await secrets.remove('operator', params.name) }),
  );
}

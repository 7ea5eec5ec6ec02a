import type { HostService } from '../../host/host-service.ts';
import type { AddRoute } from '../route-maker.ts';

/** The secrets by name: values go in and never come out. */
export function secretRoutes(on: AddRoute, { secrets }: HostService): void {
  on('GET /api/secrets', async () => ({
    provider: (await secrets.provider()) ?? null,
    secrets: (await secrets.list()).map(({ name, provider, updatedAt }) => ({ name, provider, updatedAt })),
  }));
  on('PUT /api/secrets/:name', async ({ params, body }) => {
    const { provider, firstUse } = await secrets.set(params.name, body.value, { actor: 'operator' });
    return { ok: true, provider, firstUse: firstUse ?? null };
  });
  on('DELETE /api/secrets/:name', async ({ params }) => ({
    ok: true,
    removed: await secrets.remove(params.name, { actor: 'operator' }),
  }));
}

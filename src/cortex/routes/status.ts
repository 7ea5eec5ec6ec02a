import type { AddRoute } from '../route-maker.ts';
import { serverView } from '../views/server.ts';

/** `GET /api/mcp/status`: everything that runs, starts, closes, failed or is only saved, without Docker too (R33). */
export function statusRoute(on: AddRoute): void {
  on('GET /api/mcp/status', async ({ operator }) => {
    const asked = await operator();
    const [servers, docker] = await Promise.all([asked.servers(), asked.engine()]);
    return {
      docker,
      // It cannot be started yet.
      gateway: null,
      servers: servers.filter(({ state }) => state !== 'legacy').map(serverView),
      legacy: servers
        .filter(({ state }) => state === 'legacy')
        .map(({ resourceId, image, health }) => ({ name: resourceId, image, sentence: health.sentence })),
    };
  });
}

import { gatewayData } from '../../commands/mcp-gateway-start.ts';
import type { AddRoute } from '../route-maker.ts';
import { serverView } from '../views/server.ts';

/** `GET /api/mcp/status`: everything that runs, starts, closes, failed or is only saved, without Docker too (R33). */
export function statusRoute(on: AddRoute): void {
  on('GET /api/mcp/status', async ({ operator }) => {
    const asked = await operator();
    const [servers, docker, gateway] = await Promise.all([asked.servers(), asked.engine(), asked.gateway.report()]);
    return {
      docker,
      gateway: gateway === undefined ? null : gatewayData(gateway),
      servers: servers.filter(({ state }) => state !== 'legacy').map(serverView),
      legacy: servers
        .filter(({ state }) => state === 'legacy')
        .map(({ resourceId, image, health }) => ({ name: resourceId, image, sentence: health.sentence })),
    };
  });
}

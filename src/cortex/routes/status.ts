import { z } from '@hono/zod-openapi';
import type { StatusAnswer } from '../../client/api-types.ts';
import type { AddRoute } from '../route-maker.ts';
import { serverSchema, serverView } from '../views/server.ts';

const status = z
  .object({
    docker: z.object({ state: z.enum(['available', 'unavailable', 'unknown']), sentence: z.string() }),
    gateway: z.object({ requested_servers: z.array(z.string()), observed_tools: z.array(z.string()) }).nullable(),
    servers: z.array(serverSchema),
    legacy: z.array(z.object({ name: z.string(), image: z.string().nullable(), sentence: z.string() })),
  })
  .openapi('Status') satisfies z.ZodType<StatusAnswer>;

/** `GET /api/mcp/status`: everything that runs, starts, closes, failed or is only saved, without Docker too (R33). */
export function statusRoute(on: AddRoute): void {
  on(
    'GET /api/mcp/status',
    { summary: 'Docker, the gateway, every server, and what an older version saved', answer: status },
    async ({ operator }) => {
      const asked = await operator();
      const [servers, docker] = await Promise.all([asked.servers(), asked.engine()]);
      return {
        docker,
        // It cannot be started yet.
        gateway: null,
        servers: servers.filter(({ isLegacy }) => !isLegacy).map(serverView),
        legacy: servers
          .filter(({ isLegacy }) => isLegacy)
          .map(({ resourceId, image, health }) => ({ name: resourceId, image, sentence: health.sentence })),
      };
    },
  );
}

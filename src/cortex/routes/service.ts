import { createRoute, z } from '@hono/zod-openapi';
import type { ServiceView } from '../../client/api-types.ts';
import type { CortexApp } from '../cortex-env.ts';
import { problemResponses } from '../problem.ts';

const view = z
  .object({
    pid: z.int(),
    version: z.string(),
    url: z.string(),
    home: z.string(),
    startedAt: z.number(),
    ready: z.boolean(),
    leftovers: z.array(
      z.object({
        kind: z.enum(['process', 'container', 'gateway']),
        server: z.string(),
        id: z.string(),
        error: z.string().nullable(),
      }),
    ),
  })
  .openapi('Service');

const show = createRoute({
  method: 'get',
  path: '/api/service',
  summary: 'The service itself: its process, home and address, and what of ended runs is left',
  responses: {
    200: { description: 'The service', content: { 'application/json': { schema: view } } },
    ...problemResponses,
  },
});

const stop = createRoute({
  method: 'post',
  path: '/api/service/stop',
  summary: 'Stop the service and every server, gracefully; answers before it does',
  responses: {
    202: {
      description: 'It begins to stop',
      content: { 'application/json': { schema: z.object({ ok: z.literal(true) }) } },
    },
    ...problemResponses,
  },
});

/** The running service as its routes see it. */
export interface ServedService {
  view(): Promise<ServiceView>;
  /** Begins to stop; returns at once. */
  stop(): void;
}

/** `GET /api/service` and `POST /api/service/stop`. */
export function serviceRoutes(service: ServedService): (app: CortexApp) => void {
  return app => {
    app.openapi(show, async context => {
      const { leftovers, ...rest } = await service.view();
      return context.json({ ...rest, leftovers: [...leftovers] }, 200);
    });
    app.openapi(stop, context => {
      service.stop();
      return context.json({ ok: true } as const, 202);
    });
  };
}

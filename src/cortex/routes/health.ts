import { createRoute, z } from '@hono/zod-openapi';
import { version } from '../../core/version.ts';
import type { CortexApp } from '../cortex-env.ts';

const health = createRoute({
  method: 'get',
  path: '/api/health',
  summary: 'Whether Longshore is there and ready; needs no token',
  security: [],
  responses: {
    200: {
      description: 'It is there',
      content: {
        'application/json': {
          schema: z.object({ name: z.literal('longshore'), version: z.string(), ready: z.boolean() }).openapi('Health'),
        },
      },
    },
  },
});

/** `GET /api/health`: version and readiness, and nothing else, for anybody. */
export function healthRoute(app: CortexApp, isReady: () => boolean): void {
  app.openapi(health, context => context.json({ name: 'longshore', version, ready: isReady() } as const, 200));
}

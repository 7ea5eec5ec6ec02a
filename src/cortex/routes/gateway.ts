import { createRoute, z } from '@hono/zod-openapi';
import { gatewayNotAvailable } from '../../commands/mcp-gateway-stop.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { CortexApp } from '../cortex-env.ts';
import { problemResponses } from '../problem.ts';

const start = createRoute({
  method: 'post',
  path: '/api/mcp/gateway/start',
  summary: 'Start the Docker MCP Gateway; not available yet',
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: z.object({ servers: z.array(z.string()) }).openapi('GatewayStart') } },
    },
  },
  responses: problemResponses,
});

const stop = createRoute({
  method: 'post',
  path: '/api/mcp/gateway/stop',
  summary: 'Stop the Docker MCP Gateway; not available yet',
  responses: problemResponses,
});

/** The routes of what is still to come: each says so with a problem, never with an empty list. */
export function gatewayRoutes(app: CortexApp): void {
  const notYet = (message: string) => (): never => {
    throw new LongshoreError('not-available', message);
  };
  app.openapi(start, notYet(gatewayNotAvailable));
  app.openapi(stop, notYet(gatewayNotAvailable));
}

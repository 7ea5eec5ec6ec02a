import { createRoute, z } from '@hono/zod-openapi';
import type { CortexApp } from '../cortex-env.ts';
import type { EventStreams } from '../event-stream.ts';
import { problemResponses } from '../problem.ts';

const events = createRoute({
  method: 'get',
  path: '/api/events',
  summary: 'What changes, as server-sent events; with Last-Event-ID what was missed comes first',
  request: { headers: z.object({ 'last-event-id': z.string().max(200).optional() }) },
  responses: {
    200: {
      description: 'A stream that does not end: hello or resync first, then events',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    ...problemResponses,
  },
});

/** `GET /api/events`: live events to the page, the CLI and programs. */
export function eventsRoute(app: CortexApp, streams: EventStreams): void {
  app.openapi(events, context => {
    const { 'last-event-id': lastEventId } = context.req.valid('header');
    // Whoever does not read cannot be told to go away either: only the end of its socket frees what waits for it.
    return streams.open(lastEventId, () => context.env.incoming?.socket.destroy());
  });
}

import { z } from '@hono/zod-openapi';
import type { AddRoute } from '../route-maker.ts';
import { toolSchema, toolViews } from '../views/tool.ts';

/** The tools that can be called, verbatim. */
export function toolRoutes(on: AddRoute): void {
  on(
    'GET /api/tools',
    {
      summary: 'Every tool that can be called; with server or tool, a server whose tools were never seen is started',
      query: z.object({ server: z.string().min(1).max(300).optional(), tool: z.string().min(1).max(300).optional() }),
      answer: z.array(toolSchema),
    },
    async ({ operator, query: { server, tool }, signal }) => {
      const asked = await operator();
      const { tools } = asked;
      const named = tool === undefined ? undefined : [await tools.named(tool, signal)];
      const ofServer = server === undefined ? undefined : await tools.of(server, signal);
      const handles = named && ofServer ? named.filter(handle => ofServer.includes(handle)) : (named ?? ofServer);
      return toolViews(handles ?? tools.all(), await asked.savedIds());
    },
  );
}

import type { AddRoute } from '../route-maker.ts';
import { toolViews } from '../views/tool.ts';

/** The tools that can be called, verbatim. */
export function toolRoutes(on: AddRoute): void {
  on('GET /api/tools', async ({ operator, query: { server, tool }, signal }) => {
    const asked = await operator();
    const { tools } = asked;
    const named = tool === undefined ? undefined : [await tools.named(tool, signal)];
    const ofServer = server === undefined ? undefined : await tools.of(server, signal);
    const handles = named && ofServer ? named.filter(handle => ofServer.includes(handle)) : (named ?? ofServer);
    return toolViews(handles ?? tools.all(), await asked.savedIds());
  });
}

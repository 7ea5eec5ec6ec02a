import type { CatalogAnswer } from '../../api/catalog.ts';
import { catalog } from '../../commands/mcp-catalog.ts';
import { defaultHits, search } from '../../commands/mcp-search.ts';
import type { AddRoute } from '../route-maker.ts';
import { answerOf } from '../views/envelope.ts';

/** Listing, searching and refreshing the catalogs. */
export function catalogRoutes(on: AddRoute): void {
  on('GET /api/mcp/catalog', async ({ operator, query: { q, limit }, signal }) => {
    const asked = await operator();
    const isSearch = q !== undefined && q.trim() !== '';
    return answerOf<CatalogAnswer>(
      isSearch ? await search(asked, q, limit ?? defaultHits, signal) : await catalog(asked, false, signal),
    );
  });
  on('POST /api/mcp/catalog/refresh', async ({ operator, signal }) =>
    answerOf<CatalogAnswer>(await catalog(await operator(), true, signal)),
  );
}

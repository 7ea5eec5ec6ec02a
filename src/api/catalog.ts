import { z } from '@hono/zod-openapi';
import { errorCodes, instant, type Json, maybe, wholeNumber } from './json.ts';
import type { RouteTable } from './route.ts';

/** One server that can be loaded. */
const entry = z
  .object({
    /** What `load` takes. */
    name: z.string(),
    /** The catalog it stands in. */
    source: z.string(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    category: z.string().nullable(),
    tags: z.array(z.string()),
    tools: z.array(z.string()),
    kind: z.enum(['image', 'remote', 'command', 'none']),
    image: z.string().nullable(),
    /** The line that loads it; null for what only the gateway can run, or nobody. */
    load: z.string().nullable(),
    /** Commands and flags that give what it needs first. */
    needs: z.array(z.string()),
    isolation: z.string(),
  })
  .openapi('CatalogEntry');
export type CatalogEntryView = Json<typeof entry>;

const catalog = z.object({
  id: z.string(),
  place: z.string(),
  title: z.string().nullable(),
  /** How many are available; never how many run. */
  definitions: z.int(),
  /** When it was read; null for what is always at hand. */
  readAt: instant.nullable(),
  /** Why it could not be read now. */
  error: z.string().nullable(),
});

/** A catalog that cannot be read, and never was, makes the whole a problem `catalog-unreadable`, with what the others have as its data. */
const found = z
  .object({
    status: z.enum(['ok', 'partial']),
    confirmation: z.string(),
    error: maybe(z.string()),
    code: maybe(z.enum(errorCodes)),
    data: z.object({
      catalogs: z.array(catalog),
      matches: z.array(entry),
      query: maybe(z.string()),
      total: maybe(z.int()),
    }),
  })
  .openapi('Catalog');
export type CatalogAnswer = Json<typeof found>;

/** The catalogs of servers that can be loaded. */
export const catalogRoutes = {
  'GET /api/mcp/catalog': {
    summary: 'All servers of the catalogs, or with q those that match; nothing is started',
    query: z.object({ q: z.string().max(300).optional(), limit: wholeNumber(1, 100).optional() }),
    answer: found,
  },
  'POST /api/mcp/catalog/refresh': { summary: 'Read all catalogs anew', answer: found },
} as const satisfies RouteTable;

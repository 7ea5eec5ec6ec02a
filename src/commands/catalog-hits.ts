import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import type { CatalogList, CatalogState } from '../catalog/catalogs.ts';
import type { JsonObject } from '../core/json.ts';
import { needsOf } from '../servers/plan-entry.ts';
import { type Envelope, failed, partly, succeeded } from './envelope.ts';
import { quoteWord } from './grammar.ts';

/**
 * What was found in the catalogs as a result. One that cannot be read is an error, whatever the others have (R74); where it
 * was read before, the older definitions are told with it.
 */
export function catalogResult(
  { catalogs, entries }: CatalogList,
  { said, inShort = said }: { readonly said: string; readonly inShort?: string },
  more: JsonObject = {},
): Envelope {
  const data = { ...more, catalogs: catalogs.map(catalogData), matches: entries.map(entryData) };
  const lost = catalogs.find(({ error, readAt }) => error !== undefined && readAt === undefined)?.error;
  if (lost !== undefined) return failed(lost.code, `${lost.message} ${inShort}`, data);
  const old = catalogs.find(({ error }) => error !== undefined)?.error;
  if (old !== undefined) return partly(said, old.code, `${old.message} What was read before is shown.`, data);
  return succeeded(said, data);
}

/** "3 definitions available" (R78): never how many run. */
export function available(count: number): string {
  return `${count} ${count === 1 ? 'definition' : 'definitions'} available`;
}

function catalogData({ id, place, title, definitions, readAt, error }: CatalogState): JsonObject {
  return {
    id,
    place,
    title: title ?? null,
    definitions,
    readAt: readAt ?? null,
    error: error === undefined ? null : error.message,
  };
}

/** One entry, with how it is loaded, what it needs first, and how it is kept apart. */
function entryData(entry: CatalogEntry): JsonObject {
  const { name, catalog, title, description, category, tags, tools, start } = entry;
  return {
    name,
    source: catalog,
    title: title ?? null,
    description: description ?? null,
    category: category ?? null,
    tags,
    tools,
    kind: start.kind,
    image: start.kind === 'image' ? start.image : null,
    load: start.kind === 'none' ? null : `!mcp-load ${quoteWord(name)}`,
    needs: needsOf(entry),
    isolation: isolationOf(entry),
  };
}

/** A sentence on what it can reach. */
function isolationOf({ start }: CatalogEntry): string {
  switch (start.kind) {
    case 'image': {
      const reach = start.network ? 'can reach the internet' : 'without a network';
      const volumes = start.volumes.length > 0 ? `, sees ${start.volumes.join(', ')}` : '';
      return `A container of its own, hardened, ${reach}${volumes}.`;
    }
    case 'remote':
      return `Runs elsewhere, at ${start.url}.`;
    case 'command':
      return 'A process of yours: it can do whatever you can.';
    case 'none':
      return `Not to be loaded: ${start.reason}.`;
  }
}

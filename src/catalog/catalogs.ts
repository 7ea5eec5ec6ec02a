import type { Clock } from '../core/clock.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import type { CatalogCache } from '../store/catalogs.ts';
import type { CatalogContent, CatalogEntry } from './catalog-entry.ts';
import { type CatalogSearch, catalogSearch } from './catalog-search.ts';
import { unreadable } from './read-docker-catalog.ts';
import type { CatalogSource, ReadOptions } from './sources/source.ts';

/** One catalog as it was last read. */
export interface CatalogState {
  readonly id: string;
  readonly place: string;
  readonly title: string | undefined;
  /** How many definitions are available in it (R78); 0 where it cannot be read. */
  readonly definitions: number;
  /** When it was read, milliseconds since 1970; `undefined` for what is never cached. */
  readonly readAt: number | undefined;
  /** Why it could not be read now; where `readAt` is there too, what was read before is used. */
  readonly error: LongshoreError | undefined;
}

/** Everything that the catalogs have. */
export interface CatalogList {
  readonly catalogs: readonly CatalogState[];
  /** By catalog and name; of two of one name the first catalog's. */
  readonly entries: readonly CatalogEntry[];
}

/** The catalogs of one host. Nothing is read before it is asked for; nothing is ever started (R75). */
export interface Catalogs {
  list(options: ReadOptions): Promise<CatalogList>;
  /** Reads all of them anew; one that cannot be read keeps what was read before, and says why. */
  refresh(options: ReadOptions): Promise<CatalogList>;
  /** The best first, at most `limit`. */
  search(query: string, limit: number, options: ReadOptions): Promise<CatalogList>;
  /** The entry of that name. Rejects with `catalog-unreadable` where it is in none that can be read, and one cannot be (R74). */
  entry(name: string, options: ReadOptions): Promise<CatalogEntry | undefined>;
  /** The same among what is cached; reads nothing from anywhere else. */
  known(name: string): Promise<CatalogEntry | undefined>;
}

export interface CatalogsDeps {
  /** In the order in which a name is looked for. */
  readonly sources: readonly CatalogSource[];
  readonly cache: CatalogCache;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Hears what is going on while a catalog is read, whoever asked for it. */
  readonly onProgress?: (catalog: string, line: string) => void;
}

/** What was read that long ago is read again, where that can be done. */
const freshMilliseconds = 24 * 60 * 60 * 1000;

interface Held {
  readonly content: CatalogContent;
  readonly readAt: number | undefined;
  readonly error?: LongshoreError;
}

/** See `Catalogs`. */
export function createCatalogs({ sources, cache, clock, log, onProgress }: CatalogsDeps): Catalogs {
  const held = new Map<string, Held>();
  /** Readings under way: whoever asks meanwhile shares them (R73). */
  const reading = new Map<string, Promise<Held>>();
  let index: { readonly of: readonly CatalogEntry[]; readonly search: Promise<CatalogSearch> } | undefined;
  let merged: { readonly of: readonly Held[]; readonly entries: readonly CatalogEntry[] } | undefined;

  async function cached({ id, place, isLocal }: CatalogSource): Promise<Held | undefined> {
    const known = held.get(id);
    if (known !== undefined || isLocal) return known;
    const row = await cache.get(id);
    if (row?.place !== place) return undefined;
    try {
      // Written by us, from what was checked when it was read.
      const found = { content: JSON.parse(row.content) as CatalogContent, readAt: row.readAt };
      held.set(id, found);
      return found;
    } catch (error) {
      log.warn({ catalog: id, error: String(error) }, 'What is cached of a catalog is damaged; it is read again.');
      return undefined;
    }
  }

  function read(source: CatalogSource, options: ReadOptions): Promise<Held> {
    const under = reading.get(source.id);
    if (under !== undefined) return under;
    const started = readAnew(source, options).finally(() => reading.delete(source.id));
    reading.set(source.id, started);
    return started;
  }

  async function readAnew(source: CatalogSource, options: ReadOptions): Promise<Held> {
    const told = (line: string): void => {
      options.onProgress?.(line);
      onProgress?.(source.id, line);
    };
    const content = await source.read({ ...options, onProgress: told });
    if (source.isLocal) return { content, readAt: undefined };
    const readAt = clock.now();
    const { id, place } = source;
    await cache.put(id, { place, readAt, content: JSON.stringify(content) }).catch((error: unknown) => {
      log.warn({ catalog: id, error: String(error) }, 'A catalog could not be cached.');
    });
    const fresh = { content, readAt };
    held.set(id, fresh);
    return fresh;
  }

  /** Never rejects but for `cancelled`: a catalog that cannot be read is told beside those that can. */
  async function look(source: CatalogSource, options: ReadOptions, anew: boolean): Promise<Held> {
    const before = await cached(source);
    const isFresh = before?.readAt !== undefined && clock.now() - before.readAt < freshMilliseconds;
    if (before !== undefined && isFresh && !anew) return before;
    try {
      return await read(source, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      const known = asLongshoreError(error);
      const told = known.code === 'catalog-unreadable' ? known : unreadable(source.place, known.message, error);
      return { content: { title: undefined, entries: [], unnamed: 0 }, readAt: undefined, ...before, error: told };
    }
  }

  async function list(options: ReadOptions, anew = false): Promise<CatalogList> {
    const all = await Promise.all(sources.map(source => look(source, options, anew)));
    const catalogs = sources.map(({ id, place }, at) => {
      const { content, readAt, error } = all[at] ?? {
        content: { title: undefined, entries: [], unnamed: 0 },
        readAt: undefined,
      };
      return { id, place, title: content.title, definitions: content.entries.length + content.unnamed, readAt, error };
    });
    if (merged === undefined || all.some((one, at) => one.content !== merged?.of[at]?.content)) {
      merged = { of: all, entries: firstOfEachName(all) };
    }
    return { catalogs, entries: merged.entries };
  }

  return {
    list: options => list(options),
    refresh: options => list(options, true),
    async search(query, limit, options) {
      const { catalogs, entries } = await list(options);
      if (index?.of !== entries) index = { of: entries, search: catalogSearch(entries) };
      return { catalogs, entries: (await index.search).find(query, limit) };
    },
    async entry(name, options) {
      const { catalogs, entries } = await list(options);
      const found = entries.find(entry => entry.name === name);
      for (const { id, error, readAt } of catalogs) {
        if (found?.catalog === id) return found;
        // One that comes before and cannot be read might have it: nothing is guessed.
        if (error !== undefined && readAt === undefined) throw found === undefined ? error : besides(error, found);
      }
      return found;
    },
    async known(name) {
      for (const source of sources) {
        const found = (await cached(source))?.content.entries.find(entry => entry.name === name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** The same error, with what a person can do who means the entry of a later catalog. */
function besides(error: LongshoreError, { name, catalog, start }: CatalogEntry): LongshoreError {
  const isReady = start.kind === 'command' && !start.args.some(word => word.includes('{{'));
  const how = isReady ? `: longshore add ${name} -- ${[start.command, ...start.args].join(' ')}` : '';
  const { code, data, message } = error;
  const told = `${message} The catalog ${catalog} has one of that name, which may be another${how}`;
  return new LongshoreError(code, told, { cause: error, ...(data && { data }) });
}

function firstOfEachName(all: readonly Held[]): readonly CatalogEntry[] {
  const seen = new Set<string>();
  return all.flatMap(({ content }) =>
    content.entries.filter(({ name }) => {
      const isFirst = !seen.has(name);
      seen.add(name);
      return isFirst;
    }),
  );
}

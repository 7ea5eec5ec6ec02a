import MiniSearch from 'minisearch';
import { queryTerms, searchTerms } from '../search/search-terms.ts';
import type { CatalogEntry } from './catalog-entry.ts';

/** Entries that are found by words. */
export interface CatalogSearch {
  /** The best first, at most `limit`; equal questions have equal answers. */
  find(query: string, limit: number): readonly CatalogEntry[];
}

/** What is looked in, and how much more a hit there tells than one in a description. */
const boosts = { name: 5, title: 4, tools: 2, tags: 2, description: 1 } as const;
/** Indexing gives way to others after so many entries: thousands at once would hold up every call. */
const chunk = 50;

/**
 * Indexes names, titles, descriptions, tools, tags and categories; offline, in memory. Words may be begun or misspelt; what
 * only contains the query as it is, in the midst of a word, comes last (R34).
 */
export async function catalogSearch(entries: readonly CatalogEntry[]): Promise<CatalogSearch> {
  const index = new MiniSearch<Readonly<Record<keyof typeof boosts, string>> & { readonly id: number }>({
    fields: Object.keys(boosts),
    tokenize: searchTerms,
    // The terms are in one case already.
    processTerm: term => term,
    searchOptions: {
      tokenize: queryTerms,
      boost: boosts,
      combineWith: 'AND',
      prefix: term => term.length > 1,
      fuzzy: term => (term.length > 3 ? 0.2 : false),
      maxFuzzy: 2,
      weights: { prefix: 0.6, fuzzy: 0.3 },
    },
  });
  await index.addAllAsync(
    entries.map((entry, id) => ({ id, ...textsOf(entry) })),
    { chunkSize: chunk },
  );
  const whole = entries.map(entry => Object.values(textsOf(entry)).join('\n').toLowerCase());
  return {
    find(query, limit) {
      // The index ranks them; equal questions are ranked alike.
      const found = new Set(
        index
          .search(query)
          .slice(0, limit)
          .map(({ id }) => Number(id)),
      );
      const text = query.trim().toLowerCase();
      for (let at = 0; at < whole.length && found.size < limit; at += 1) {
        if (whole[at]?.includes(text)) found.add(at);
      }
      return [...found].flatMap(id => entries[id] ?? []);
    },
  };
}

function textsOf(entry: CatalogEntry): Readonly<Record<keyof typeof boosts, string>> {
  const { name, title = '', description = '', tools, tags, category = '', start } = entry;
  return {
    name: start.kind === 'image' ? `${name} ${start.image}` : name,
    title,
    tools: tools.join(' '),
    tags: [...tags, category].join(' '),
    description,
  };
}

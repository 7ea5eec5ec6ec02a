import MiniSearch from 'minisearch';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Handle } from '../../core/words.ts';
import { queryTerms, searchTerms } from '../../search/search-terms.ts';
import type { Registry } from './registry.ts';

/** Handles that are found by words. */
export interface ToolIndex {
  /** The best first, at most `limit`; of those that `sees` lets pass. Ties are by handle name, so that equal questions have equal answers. */
  search(query: string, limit: number, sees?: (handle: Handle) => boolean): readonly Handle[];
}

/** What is looked in, and how much more a hit there tells than one in a description. */
const boosts = { name: 4, title: 3, server: 2, parameters: 1, description: 1 } as const;

/**
 * What only shares a word with the question is no hit: beside the best one, a tool that lacks words of it (of a question of two
 * words, both) must score this share of the best. Measured over the tools of four servers and 17 questions.
 */
const relevant = 0.4;

/** Indexes names, titles, descriptions and parameters; offline, in memory. Words may be begun or misspelt. */
export function createToolIndex(handles: readonly Handle[]): ToolIndex {
  const index = new MiniSearch<Readonly<Record<keyof typeof boosts, string>> & { readonly id: number }>({
    fields: Object.keys(boosts),
    tokenize: searchTerms,
    // The terms are in one case already.
    processTerm: term => term,
    searchOptions: {
      tokenize: queryTerms,
      boost: boosts,
      prefix: term => term.length > 1,
      fuzzy: term => (term.length > 3 ? 0.2 : false),
      maxFuzzy: 2,
      weights: { prefix: 0.6, fuzzy: 0.3 },
    },
  });
  index.addAll(handles.map((handle, id) => ({ id, ...textsOf(handle) })));
  return {
    search(query, limit, sees = () => true) {
      const words = new Set(searchTerms(query)).size;
      const hits = index.search(query).flatMap(({ id, score, queryTerms }) => {
        const handle = handles[id as number];
        return handle !== undefined && sees(handle) ? [{ handle, score, share: queryTerms.length / words }] : [];
      });
      hits.sort((one, other) => other.score - one.score || byName(one.handle, other.handle));
      const best = hits[0]?.score ?? 0;
      const enough = words > 2 ? 1 : 0.5;
      const fits = hits.filter(({ score, share }) => share >= enough || score >= relevant * best);
      return fits.slice(0, limit).map(({ handle }) => handle);
    },
  };
}

/** The same over the tools of a registry, each agent's indexed when it is first searched after they changed. */
export function createToolSearch(registry: Pick<Registry, 'list' | 'onChanged'>): {
  search(agentId: AgentId, ...asked: Parameters<ToolIndex['search']>): readonly Handle[];
} {
  const indexes = new Map<AgentId, ToolIndex>();
  registry.onChanged(agentId => void indexes.delete(agentId));
  return {
    search(agentId, ...asked) {
      let index = indexes.get(agentId);
      if (index === undefined) {
        index = createToolIndex(registry.list(agentId, { kind: 'tool' }));
        indexes.set(agentId, index);
      }
      return index.search(...asked);
    },
  };
}

function byName(one: Handle, other: Handle): number {
  return one.handleName < other.handleName ? -1 : 1;
}

function textsOf({ wireName, ownerKey, definition }: Handle): Readonly<Record<keyof typeof boosts, string>> {
  const { title, description, annotations } = definition;
  const titles = [title, isJsonObject(annotations) ? annotations['title'] : undefined];
  return {
    name: wireName.slice(0, longestText),
    title: titles
      .filter(one => typeof one === 'string')
      .join(' ')
      .slice(0, longestText),
    server: ownerKey,
    parameters: parameterTexts(definition['inputSchema']).join(' '),
    description: typeof description === 'string' ? description.slice(0, longestText) : '',
  };
}

/** How deep a schema is read, how many texts of it, and how much of a text: a definition may be of any size. */
const deepest = 4;
const mostTexts = 400;
const longestText = 2_000;

/** Names, titles and descriptions of what a schema takes, nested ones too. */
function parameterTexts(schema: JsonValue | undefined): readonly string[] {
  const texts: string[] = [];
  function read(inner: JsonValue | undefined, depth: number): void {
    if (!isJsonObject(inner) || depth > deepest || texts.length > mostTexts) return;
    const { properties, items } = inner;
    for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (texts.length > mostTexts) return;
      texts.push(name.slice(0, longestText), ...wordsOf(property));
      read(property, depth + 1);
    }
    read(items, depth + 1);
  }
  read(schema, 0);
  return texts;
}

function wordsOf(property: JsonValue | undefined): readonly string[] {
  const { title, description }: JsonObject = isJsonObject(property) ? property : {};
  return [title, description].filter(one => typeof one === 'string').map(text => text.slice(0, longestText));
}

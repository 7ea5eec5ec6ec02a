import type { AgentId, ServerKey } from '../../core/ids.ts';
import type { Handle } from '../../core/words.ts';
import type { Registry } from '../../governance/registry/registry.ts';
import { queryTerms, searchTerms } from '../../search/search-terms.ts';
import type { SavedBook } from '../../servers/saved-book.ts';
import { serverInfos } from '../../servers/server-infos.ts';

/** A server that a client may load or has loaded; nothing of how it is started, which may hold secrets. */
export interface ServerFound {
  readonly server: ServerKey;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly saved: boolean;
  /** How many of its tools the client may call; 0 also while they were never seen. */
  readonly tools: number;
}

/** What servers are found in. */
export interface ServerSources {
  readonly registry: Registry;
  readonly saved: SavedBook;
}

/**
 * An agent's servers that words fit, the best first and equals by key: by a word of their key, name or image, or because
 * `tools` were found in them. All of them where there are no words.
 */
export async function searchServers(
  sources: ServerSources,
  { agentId, sees }: { readonly agentId: AgentId; sees(handle: Handle): boolean },
  words: string,
  tools: readonly Handle[],
): Promise<readonly ServerFound[]> {
  const { registry, saved } = sources;
  const count = (server: ServerKey) => registry.list(agentId, { ownerKey: server, kind: 'tool' }).filter(sees).length;
  const all = (await serverInfos(saved, agentId)).map(({ server, name, kind, state, saved: isSaved }): ServerFound => {
    return { server, name, kind, state, saved: isSaved, tools: count(server) };
  });
  const terms = queryTerms(words);
  const owners = new Set(tools.map(tool => tool.ownerKey));
  return all
    .map(server => ({
      server,
      score: terms.length === 0 ? 1 : scoreOf(server, terms) + (owners.has(server.server) ? 1 : 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.server.server < other.server.server ? -1 : 1))
    .map(({ server }) => server);
}

/** How many of the words its names have, begun words included. */
function scoreOf({ server, name }: ServerFound, terms: readonly string[]): number {
  const own = searchTerms(`${server} ${name}`);
  return terms.filter(term => own.some(one => one.startsWith(term))).length;
}

/** One line about a server. */
export function serverText({ server, kind, state, saved, tools }: ServerFound): string {
  return `server ${server}: ${kind}, ${state}${saved ? ', saved' : ''}, ${tools} ${tools === 1 ? 'tool' : 'tools'}`;
}

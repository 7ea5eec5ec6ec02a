import type { AgentId, ServerKey } from '../../core/ids.ts';
import type { Handle } from '../../core/words.ts';
import type { Registry } from '../../governance/registry/registry.ts';
import { queryTerms, searchTerms } from '../../search/search-terms.ts';
import type { Fleet } from '../../servers/fleet.ts';
import { savedKind, savedLife } from '../../servers/list-saved.ts';
import { displayName, type SavedBook } from '../../servers/saved-book.ts';

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
  readonly fleet: Fleet;
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
  const { fleet, registry, saved } = sources;
  const rows = await saved.rows(agentId);
  const keys = new Set(rows.map(row => row.serverKey));
  const unsaved = fleet.list(agentId).filter(member => !keys.has(member.serverKey));
  const count = (server: ServerKey) => registry.list(agentId, { ownerKey: server, kind: 'tool' }).filter(sees).length;
  const all: readonly ServerFound[] = [
    ...rows.map(row => {
      const { state } = savedLife(saved, row);
      const server = row.serverKey;
      return { server, name: displayName(row), kind: savedKind(row), state, saved: true, tools: count(server) };
    }),
    ...unsaved.map(({ serverKey: server, planned: { name, kind }, state }) => {
      return { server, name, kind, state: state.name, saved: false, tools: count(server) };
    }),
  ];
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

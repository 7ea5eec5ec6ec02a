import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { Handle } from '../core/words.ts';
import { isInScope } from '../governance/dispatch/caller-scope.ts';
import type { Registry } from '../governance/registry/registry.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { Fleet } from './fleet.ts';
import { mayStart } from './may-start.ts';
import { displayName, type SavedBook } from './saved-book.ts';

/** What tools are found in. */
export interface ToolSources {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly saved: SavedBook;
}

/**
 * An agent's tools that can be called. Rejects with `unknown-server`, `unknown-tool`, `server-disabled`, or why a server
 * that had to be started to see them did not start.
 */
export interface FindTools {
  /** All of them; nothing is started. */
  all(): readonly Handle[];
  /** Those of a server, which is started if they were never seen. */
  of(ref: string, signal: AbortSignal): Promise<readonly Handle[]>;
  /** The one that is meant by a handle's name, or by `server.tool` with the longest known key or name of a server before a dot. */
  named(name: string, signal: AbortSignal): Promise<Handle>;
  /** The one of a saved server, by the server's own name of it. */
  ofSaved(serverId: string, tool: string, signal: AbortSignal): Promise<Handle>;
}

export function findTools(agentId: AgentId, { fleet, registry, saved }: ToolSources): FindTools {
  const toolsOf = (key: ServerKey) => registry.list(agentId, { ownerKey: key, kind: 'tool' });
  const all = () => registry.list(agentId, { kind: 'tool' }).filter(handle => isInScope(handle, undefined));

  async function seen(key: ServerKey, signal: AbortSignal): Promise<readonly Handle[]> {
    // What was seen is mounted, asleep or not; a connected server without tools has none.
    if (toolsOf(key).length === 0 && !fleet.connection(agentId, key)) await fleet.wake(agentId, key, signal);
    return toolsOf(key);
  }

  async function of(ref: string, signal: AbortSignal): Promise<readonly Handle[]> {
    const { saved: row, running } = await saved.resolve(agentId, ref);
    const key = row?.serverKey ?? running?.serverKey;
    if (key === undefined) throw await saved.unknown(agentId, ref);
    if (row) mayStart(saved, row);
    if (row && !fleet.server(agentId, key)) {
      throw new LongshoreError(
        'unknown-server',
        `${ref} is saved, but it is not loaded. Load it: longshore load ${key}`,
      );
    }
    return await seen(key, signal);
  }

  /** Everything that may stand before a dot: keys and names of servers. */
  async function prefixes(): Promise<readonly string[]> {
    const rows = await saved.rows(agentId);
    const running = fleet.list(agentId);
    const keys = [...rows, ...running].map(one => one.serverKey);
    return [...new Set([...keys, ...rows.map(displayName), ...running.map(({ planned }) => planned.name)])];
  }

  /** The tool behind the longest key or name of a server that the text begins with; that server is started if it was never seen. */
  async function byServer(name: string, signal: AbortSignal): Promise<Handle | undefined> {
    const owners = (await prefixes()).filter(one => name.startsWith(`${one}.`) || name.startsWith(`${one}__`));
    for (const owner of owners.sort((one, other) => other.length - one.length)) {
      const tools = await of(owner, signal);
      const found = tools.find(({ handleName, wireName }) => handleName === name || `${owner}.${wireName}` === name);
      if (found) return found;
    }
    return undefined;
  }

  function unknown(name: string): LongshoreError {
    const names = all().flatMap(({ handleName, ownerKey, wireName }) => [handleName, `${ownerKey}.${wireName}`]);
    const near = nearestName(name, names);
    const hint = near === undefined ? 'List them to see what there is.' : `Did you mean ${near}?`;
    return new LongshoreError('unknown-tool', `There is no tool ${JSON.stringify(name)}. ${hint}`, {
      ...(near !== undefined && { data: { near } }),
    });
  }

  return {
    all,
    of,
    async named(name, signal) {
      const found = registry.lookup(agentId, name, 'tool') ?? (await byServer(name, signal));
      if (found) return found;
      throw unknown(name);
    },
    async ofSaved(serverId, tool, signal) {
      const found = (await of(serverId, signal)).find(handle => handle.wireName === tool);
      if (found) return found;
      throw unknown(tool);
    },
  };
}

import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { SavedServer } from '../store/servers.ts';
import { removeRow, type UnloadOutcome, unloadOutcome } from './remove-server.ts';
import { type About, type Actor, displayName, type SavedBook } from './saved-book.ts';
import { savedName } from './saved-plan.ts';

/**
 * Ends a server by whatever `load` took, or by the id of a legacy entry (R32, R59). An image that is saved is forgotten; a
 * server with a config stays saved, and nothing starts it until it is loaded again. Rejects with `unknown-server` if there
 * is nothing to unload, `close-failed` while anything is left.
 */
export async function unloadServer(book: SavedBook, who: Actor, ref: string): Promise<UnloadOutcome> {
  const { agentId } = who;
  const { fleet } = book.needs;
  return await book.inOrder(
    agentId,
    () => loadedOrSaved(book, agentId, ref),
    async ({ key }) => {
      const row = await book.keyed(agentId, key);
      if (row?.mode === 'container') return await removeRow(book, who, row);
      if (!fleet.server(agentId, key)) throw row ? nothingToUnload(row) : await book.unknown(agentId, ref);
      const stopped = await fleet.unload(agentId, key);
      if (!row) return unloadOutcome(key, stopped, 'not_saved');
      return unloadOutcome(key, stopped, false, await keptUnloaded(book, who, row));
    },
  );
}

/** From now on, over restarts too, only a load starts it. What is stopped stays stopped if that cannot be saved, and both are told. */
async function keptUnloaded(book: SavedBook, who: Actor, row: SavedServer): Promise<LongshoreError | undefined> {
  if (!row.loaded) return undefined;
  try {
    await book.record('server_unloaded', who, row.name);
    await book.needs.servers.update(row.serverId, { loaded: false, actor: who.actor });
    return undefined;
  } catch (error) {
    return asLongshoreError(error);
  }
}

/** Ends whatever runs of a server; what is saved of it stays as it is. An unknown one is fine. */
export async function endServer(book: SavedBook, agentId: AgentId, ref: string): Promise<void> {
  const { fleet } = book.needs;
  await book.inOrder(
    agentId,
    async () => {
      await book.brought(agentId);
      const { running } = await book.resolve(agentId, ref);
      return { meant: running?.serverKey, names: running ? [savedName(agentId, running.planned)] : [] };
    },
    async key => {
      if (key !== undefined && fleet.server(agentId, key)) await fleet.unload(agentId, key);
    },
  );
}

/** The server that a person means among those that are loaded or saved, for `SavedBook.inOrder`. Throws `unknown-server`. */
export async function loadedOrSaved(
  book: SavedBook,
  agentId: AgentId,
  ref: string,
): Promise<About<{ readonly key: ServerKey }>> {
  let { saved, running } = await book.resolve(agentId, ref);
  if (!running) {
    await book.brought(agentId);
    ({ saved, running } = await book.resolve(agentId, ref));
  }
  const key = saved?.serverKey ?? running?.serverKey;
  if (key === undefined) throw await book.unknown(agentId, ref);
  const names = saved ? [saved.serverId, saved.name] : [];
  return { meant: { key }, names: running ? [...names, savedName(agentId, running.planned)] : names };
}

function nothingToUnload(row: SavedServer): LongshoreError {
  const name = displayName(row);
  return new LongshoreError('unknown-server', `${name} is saved, but it is not loaded: there is nothing to unload.`);
}

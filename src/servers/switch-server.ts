import type { SavedServer } from '../store/servers.ts';
import type { Actor, SavedBook } from './saved-book.ts';
import { isLegacy, legacyError } from './saved-plan.ts';

/** From now on the server may be started again, by its first call too; it is not started by this. */
export function enableServer(book: SavedBook, who: Actor, ref: string): Promise<SavedServer> {
  return book.inTurn(who.agentId, ref, async row => {
    if (isLegacy(row)) throw legacyError(row);
    if (row.enabled && row.loaded) return row;
    await book.record('server_enabled', who, row.name);
    const enabled = await book.needs.servers.update(row.serverId, { enabled: true, loaded: true, actor: who.actor });
    await book.place(enabled);
    return enabled;
  });
}

/**
 * Ends the server, awaited; from now on nothing starts it (R68). Rejects with `close-failed` while anything of it is
 * left; it is disabled all the same.
 */
export function disableServer(book: SavedBook, who: Actor, ref: string): Promise<SavedServer> {
  return book.inTurn(who.agentId, ref, async row => {
    if (!row.enabled) {
      await book.end(row);
      return row;
    }
    await book.record('server_disabled', who, row.name);
    const disabled = await book.needs.servers.update(row.serverId, { enabled: false, actor: who.actor });
    await book.end(disabled);
    return disabled;
  });
}

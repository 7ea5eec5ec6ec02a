import { selector } from '../config/selector.ts';
import { LongshoreError } from '../core/errors.ts';
import { notLoaded } from './not-loaded.ts';
import { removeServer, type UnloadOutcome, unloadOutcome } from './remove-server.ts';
import { type Actor, displayName, rowMeant, type SavedBook } from './saved-book.ts';

/**
 * Ends a server by whatever `load` took, or by the id of a legacy entry (R32, R59). An image that is saved is forgotten; a
 * server with a config stays saved. Rejects with `unknown-server` if there is nothing to unload, `close-failed` while
 * anything is left.
 */
export async function unloadServer(book: SavedBook, who: Actor, ref: string): Promise<UnloadOutcome> {
  const { fleet } = book.needs;
  const member = fleet.find(who.agentId, selector(ref));
  const row = member ? await book.keyed(who.agentId, member.serverKey) : rowMeant(await book.rows(who.agentId), ref);
  if (row?.mode === 'container') return await removeServer(book, who, row.serverId);
  if (member) {
    const stopped = await fleet.unload(who.agentId, member.serverKey);
    return unloadOutcome(member.serverKey, stopped, row ? false : 'not_saved');
  }
  if (row) {
    const name = displayName(row);
    throw new LongshoreError('unknown-server', `${name} is saved, but it is not loaded: there is nothing to unload.`);
  }
  throw notLoaded(fleet, who.agentId, ref);
}

import type { SavedServer } from '../store/servers.ts';
import { replaceRow } from './change-server.ts';
import { removeRow } from './remove-server.ts';
import { type Actor, displayName, type SavedBook } from './saved-book.ts';

/** What the undoing of an import did; names. */
export interface UndoneImport {
  readonly removed: readonly string[];
  readonly restored: readonly string[];
  /** Those that were changed or removed since, and are left as they are. */
  readonly left: readonly string[];
}

/**
 * Takes the last import of an agent back: what it added is ended and forgotten, what it changed is as before (a secret that
 * the change replaced is to be set again). What was changed since is left alone; where there is no import, nothing is done.
 * Rejects with `close-failed`; what is left of it can be undone again then.
 */
export async function undoImport(book: SavedBook, who: Actor): Promise<UndoneImport> {
  const { imports, servers } = book.needs;
  const last = await imports.last(who.agentId);
  const done = { removed: [] as string[], restored: [] as string[], left: [] as string[] };
  if (!last) return done;
  const each = async (serverId: string, updatedAt: number, act: (row: SavedServer) => Promise<void>) => {
    const row = await servers.get(serverId);
    if (!row) return;
    if (row.updatedAt !== updatedAt) return void done.left.push(displayName(row));
    await book.inTurn(who.agentId, serverId, act);
  };
  for (const { serverId, updatedAt } of last.created) {
    await each(serverId, updatedAt, async row => {
      const { error } = await removeRow(book, who, row);
      if (error) throw error;
      done.removed.push(displayName(row));
    });
  }
  for (const { before, updatedAt } of last.updated) {
    await each(before.serverId, updatedAt, async row => {
      await replaceRow(book, who, row, { ...before, actor: who.actor });
      done.restored.push(displayName(before));
    });
  }
  await imports.setLast(who.agentId, undefined);
  return done;
}

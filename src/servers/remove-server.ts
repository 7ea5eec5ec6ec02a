import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import type { SavedServer } from '../store/servers.ts';
import type { StopOutcome } from './managed-server.ts';
import type { Actor, SavedBook } from './saved-book.ts';
import { isLegacy } from './saved-plan.ts';

/** What an unload or a removal did, each part by itself (R60). A process that could not be ended is an error instead. */
export interface UnloadOutcome {
  readonly server: ServerKey;
  readonly process_removed: true | 'not_running';
  readonly handles_withdrawn: number;
  /** `false`: it stays saved, as a server with a config does when it is unloaded. `failed`: `error` says why. */
  readonly saved_removed: boolean | 'not_saved' | 'failed';
  /** Why the saved entry is still there, or is still one that calls may start, if it should not be. */
  readonly error: LongshoreError | undefined;
  /** Names of secrets that were made for it and could not be removed. */
  readonly secrets_left: readonly string[];
}

/**
 * Ends a saved server, awaited, and then forgets it (R4, R32); of a legacy entry only the entry goes (R59). Rejects with
 * `close-failed` while anything of it is left; the entry stays then.
 */
export function removeServer(book: SavedBook, who: Actor, ref: string): Promise<UnloadOutcome> {
  return book.inTurn(who.agentId, ref, row => removeRow(book, who, row));
}

/** The same for a row whose turn it is. */
export async function removeRow(book: SavedBook, who: Actor, row: SavedServer): Promise<UnloadOutcome> {
  const { fleet, cache } = book.needs;
  const { agentId, serverKey } = row;
  const stopped = await endOf(book, row);
  const saved = await forget(book, who, row);
  if (saved.removed === 'failed') return unloadOutcome(serverKey, stopped, 'failed', saved.error);
  cache.unfollow(agentId, serverKey);
  fleet.release(agentId, serverKey);
  const left = await book.discardUnused(row);
  return { ...unloadOutcome(serverKey, stopped, saved.removed), secrets_left: left };
}

/** The outcome of what was stopped and what became of the saved entry. */
export function unloadOutcome(
  server: ServerKey,
  { process, handlesWithdrawn }: StopOutcome,
  saved: UnloadOutcome['saved_removed'],
  error?: LongshoreError,
): UnloadOutcome {
  return {
    server,
    process_removed: process === 'removed' ? true : 'not_running',
    handles_withdrawn: handlesWithdrawn,
    saved_removed: saved,
    error,
    secrets_left: [],
  };
}

async function endOf(book: SavedBook, row: SavedServer): Promise<StopOutcome> {
  if (isLegacy(row)) return { process: 'not-running', handlesWithdrawn: 0 };
  try {
    return await book.end(row);
  } catch (cause) {
    const { code, message, data } = asLongshoreError(cause, 'close-failed');
    const facts = { server: row.serverKey, process_removed: 'failed', saved_removed: false };
    throw new LongshoreError(code, message, { cause, data: { ...data, ...facts } });
  }
}

/** What is stopped stays stopped whatever becomes of the entry, and both are told. */
async function forget(
  book: SavedBook,
  who: Actor,
  { name, serverId }: SavedServer,
): Promise<{ readonly removed: boolean } | { readonly removed: 'failed'; readonly error: LongshoreError }> {
  try {
    await book.record('server_removed', who, name);
    return { removed: await book.needs.servers.remove(serverId) };
  } catch (error) {
    return { removed: 'failed', error: asLongshoreError(error) };
  }
}

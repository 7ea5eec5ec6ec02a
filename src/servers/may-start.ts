import { LongshoreError } from '../core/errors.ts';
import type { SavedServer } from '../store/servers.ts';
import type { SavedBook } from './saved-book.ts';
import { isLegacy, legacyError } from './saved-plan.ts';

/** Throws why a saved server must not be started: `server-disabled`, or what is wrong with its row. */
export function mayStart(book: SavedBook, row: SavedServer): void {
  if (isLegacy(row)) throw legacyError(row);
  const fault = book.fault(row.serverId);
  if (fault) throw fault;
  if (row.enabled) return;
  throw new LongshoreError(
    'server-disabled',
    `${row.name} is disabled. Enable it first: longshore enable ${row.serverKey}`,
  );
}

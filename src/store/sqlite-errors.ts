import { LongshoreError } from '../core/errors.ts';

/** SQLite's primary result codes that mean: the file cannot be trusted any more. */
const corrupt = new Set([11 /* CORRUPT */, 26 /* NOTADB */]);

/** Primary result codes that mean: nothing was written this time, what was written before is safe. */
const refused = new Map([
  [5, 'another program holds it'],
  [6, 'another program holds it'],
  [8, 'it may not be written'],
  [10, 'the disk failed to read or write'],
  [13, 'the disk is full'],
  [14, 'it could not be opened'],
]);

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** True if a row broke a UNIQUE or PRIMARY KEY constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const code = resultCode(error);
  return code === 2067 || code === 1555;
}

/**
 * SQLite's own error as one of ours: `store-corrupt` where the file is damaged, `cannot-record` where nothing could be
 * written (full, locked, read-only); anything else, such as a broken constraint, comes back as it is.
 */
export function storeError(error: unknown, path: string): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  const primary = code & 0xff;
  if (corrupt.has(primary)) return corruptStore(path, error);
  const why = refused.get(primary);
  if (why === undefined) return error;
  return new LongshoreError(
    'cannot-record',
    `Nothing was written to ${path}: ${why}. What was recorded before is safe; put that right and try again.`,
    { cause: error, data: { path, sqlite: code } },
  );
}

/** The error for a damaged file: it is left where it is, because only its owner may decide to begin anew. */
export function corruptStore(path: string, cause: unknown): LongshoreError {
  return new LongshoreError(
    'store-corrupt',
    `The database ${path} is damaged and was left untouched. Put a backup in its place, or move it and its -wal and -shm files away to begin with an empty one.`,
    { cause, data: { path } },
  );
}

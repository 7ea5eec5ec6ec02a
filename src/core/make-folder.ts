import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LongshoreError } from './errors.ts';

/**
 * Makes a folder for its owner alone (0700), with the folders above it that are missing, and returns those that it made,
 * the topmost first. One after the other, because Node's own recursive way never returns where a file system refuses new
 * folders with ENOENT, as /proc does. Throws `bad-setting`, naming the way out.
 */
export function makeFolder(path: string): readonly string[] {
  const missing: string[] = [];
  try {
    for (let at = path; !isFolder(at); at = dirname(at)) missing.unshift(at);
    for (const folder of missing) makeOne(folder);
    return missing;
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new LongshoreError(
      'bad-setting',
      `The folder ${path} could not be made (${why}). Make the folder above it writable, or choose another home with LONGSHORE_HOME.`,
      { cause: error, data: { path } },
    );
  }
}

/** Another process may have made it meanwhile. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST' && isFolder(folder))) throw error;
  }
}

/** Throws for what is there and no folder, and for what may not be looked at. */
function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) {
    throw Object.assign(new Error(`${path} is a file`), { code: 'ENOTDIR' });
  }
  return found !== undefined;
}

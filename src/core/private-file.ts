import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LongshoreError } from './errors.ts';
import { makeFolder } from './make-folder.ts';

/**
 * The text of a file that only its owner may read (0600), or undefined if there is none. A file that others could read
 * is taken back from them first. Throws `cannot-record`.
 */
export function readPrivateFile(path: string): string | undefined {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw fileError(path, error);
  }
}

/**
 * Makes a private file with that text, or leaves the one that is there; returns the text that it has now. Of several
 * processes that make it at once one wins, and none ever sees half a file. Throws `cannot-record`.
 */
export function makePrivateFile(path: string, text: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    makeFolder(dirname(path));
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    // A link, unlike a rename, never replaces a file that another process has made meanwhile.
    linkSync(draft, path);
    return text;
  } catch (error) {
    if (error instanceof LongshoreError) throw error;
    const made = isErrno(error, 'EEXIST') ? readPrivateFile(path) : undefined;
    if (made === undefined) throw fileError(path, error);
    return made;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function fileError(path: string, cause: unknown): LongshoreError {
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new LongshoreError(
    'cannot-record',
    `The file ${path} could not be read or made (${why}). Make its folder writable, or choose another home with LONGSHORE_HOME.`,
    { cause, data: { path } },
  );
}

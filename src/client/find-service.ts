import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import { homeFiles, parseServiceNote, type ServiceNote } from '../core/service-note.ts';
import type { Target } from './target.ts';

/** Who works on a home. */
export type Found =
  /** A service that listens. */
  | { readonly as: 'service'; readonly pid: number; readonly target: Target }
  /** A program that does not listen: a service that is just starting, or one that uses the library. */
  | { readonly as: 'other'; readonly pid: number }
  | { readonly as: 'nobody' };

/** Looks into a home. Throws `bad-setting` for a service whose token is not there or may not be read. */
export function findService(home: string): Found {
  const note = readNote(home);
  // Where its writer is dead anybody may listen by now, and would be sent the token.
  if (note === undefined || !isAlive(note.pid)) return { as: 'nobody' };
  const { pid, url, certificate } = note;
  if (url === undefined) return { as: 'other', pid };
  const target = { url, token: readToken(home), host: '127.0.0.1', ...(certificate !== undefined && { certificate }) };
  return { as: 'service', pid, target };
}

/** The note of this very folder; one that was copied along with another home names that one. */
function readNote(home: string): ServiceNote | undefined {
  try {
    const note = parseServiceNote(readFileSync(join(home, homeFiles.serviceNote), 'utf8'));
    return note?.home === realpathSync(home) ? note : undefined;
  } catch {
    return undefined;
  }
}

function readToken(home: string): string {
  const path = join(home, homeFiles.operatorToken);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new LongshoreError(
      'bad-setting',
      `The operator's token in ${path} cannot be read. Ask as the user who started the service, or start it anew.`,
      { cause: error, data: { path } },
    );
  }
}

/** True for a running process of this user's: another user's cannot be our service. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Where nobody reaps it, a dead process keeps its number.
  return !/\) [ZX] /.test(statOf(pid));
}

/** What Linux says of a process; empty elsewhere. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}

import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { LongshoreError } from '../core/errors.ts';
import { parseServiceNote, type ServiceNote } from '../core/service-note.ts';
import type { Home } from './home.ts';
import { DatabaseSync } from './sqlite.ts';
import { storeError } from './sqlite-errors.ts';

/** A held home: nobody else works on it. The operating system lets go when the process ends, however it ends. */
export interface HomeLock extends Disposable {
  /** Says where the holder is reached. Throws `cannot-record`. */
  announce(where: Omit<ServiceNote, 'pid' | 'home'>): void;
  /** Lets go; once. */
  release(): void;
}

/**
 * Takes a home for this process. Throws `home-in-use`, naming the process that has it.
 * The lock is an exclusive transaction on an empty SQLite file: Node has no file locks of its own, and SQLite's are
 * released by the operating system, and are safe against a second attempt in the same process.
 */
export function lockHome(home: Home, pid: number): HomeLock {
  // The file must never be opened in another way: closing that would drop the lock of the whole process (POSIX).
  const database = new DatabaseSync(home.lock, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
    chmodSync(home.lock, 0o600);
    writeNote(home, { pid });
  } catch (error) {
    database.close();
    throw isBusy(error) ? homeInUse(home, error) : storeError(error, home.lock);
  }
  function release(): void {
    if (!database.isOpen) return;
    rmSync(home.lockNote, { force: true });
    database.close();
  }
  function announce(where: Omit<ServiceNote, 'pid' | 'home'>): void {
    try {
      writeNote(home, { pid, ...where });
    } catch (error) {
      throw new LongshoreError(
        'cannot-record',
        `${home.lockNote} could not be written, so clients would not find this service.`,
        {
          cause: error,
          data: { path: home.lockNote },
        },
      );
    }
  }
  return { announce, release, [Symbol.dispose]: release };
}

/** Others read it while it is written, so it is replaced as a whole. */
function writeNote(home: Home, note: Omit<ServiceNote, 'home'>): void {
  const draft = `${home.lockNote}.${note.pid}`;
  const whole: ServiceNote = { ...note, home: realpathSync(home.folder) };
  writeFileSync(draft, JSON.stringify(whole), { mode: 0o600 });
  renameSync(draft, home.lockNote);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function homeInUse(home: Home, cause: unknown): LongshoreError {
  const pid = holderOf(home);
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return new LongshoreError(
    'home-in-use',
    `The home ${home.folder} is in use by ${holder}. Reach it with longshore/client, stop it, or choose another home with LONGSHORE_HOME.`,
    { cause, data: { home: home.folder, ...(pid === undefined ? {} : { pid }) } },
  );
}

function holderOf(home: Home): number | undefined {
  try {
    return parseServiceNote(readFileSync(home.lockNote, 'utf8'))?.pid;
  } catch {
    return undefined;
  }
}

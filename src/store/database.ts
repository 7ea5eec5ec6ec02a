import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import { LongshoreError } from '../core/errors.ts';
import { makeFolder } from '../core/make-folder.ts';
import { type DiskFlush, diskFlush, flushedFile } from './disk-flush.ts';
import { applicationId, migrate } from './migrations.ts';
import { DatabaseSync } from './sqlite.ts';
import { sqliteAdapter } from './sqlite-adapter.ts';
import { corruptStore, storeError } from './sqlite-errors.ts';
import type { Migration, NoTables } from './table.ts';

/** How long a statement waits, blocking, while another program holds the file; we are the only regular writer. */
const busyMilliseconds = 250;

/** Checking every page at start takes about 2 ms a megabyte; a larger file is told to be damaged where it is read. */
const checkedBytes = 64 * 1024 * 1024;

/** An open database; only table files see it. */
export interface Database {
  readonly db: Kysely<NoTables>;
  /** Resolves when everything committed by now would survive a power cut. Rejects with `cannot-record`. */
  readonly toDisk: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens (or makes) the database at a path, or `:memory:`, and brings it to the newest schema. The file is 0600.
 * Rejects with `store-corrupt`, `store-newer` or `cannot-record`; an existing file is never replaced.
 */
export async function openDatabase(path: string, migrations?: readonly Migration[]): Promise<Database> {
  if (path !== ':memory:') makeFile(path);
  const database = connect(path);
  const disk = path === ':memory:' ? undefined : diskFlush(flushedFile(`${path}-wal`));
  try {
    const adapter = sqliteAdapter(database, path, () => disk?.committed());
    const db = new Kysely<NoTables>({ dialect: new SqliteDialect({ database: adapter }) });
    await migrate(database, db, path, migrations);
    return {
      db,
      toDisk: () => flushed(disk, path),
      async close() {
        await disk?.[Symbol.asyncDispose]();
        await db.destroy();
        if (database.isOpen) database.close();
      },
    };
  } catch (error) {
    await disk?.[Symbol.asyncDispose]();
    database.close();
    throw error;
  }
}

async function flushed(disk: DiskFlush | undefined, path: string): Promise<void> {
  try {
    await disk?.toDisk();
  } catch (error) {
    throw new LongshoreError(
      'cannot-record',
      `The disk under ${path} did not take what was written: ${String(error)}`,
      {
        cause: error,
        data: { path },
      },
    );
  }
}

/** SQLite gives its -wal and -shm files the mode of the database file. */
function makeFile(path: string): void {
  try {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    throw new LongshoreError('cannot-record', `The database ${path} could not be opened: ${String(error)}`, {
      cause: error,
      data: { path },
    });
  }
}

function connect(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: busyMilliseconds, enableForeignKeyConstraints: true });
    checkIsOurs(database, path);
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma trusted_schema = off');
    return database;
  } catch (error) {
    database?.close();
    throw storeError(error, path);
  }
}

/** Reads only, so that a file which is not ours stays as it is, byte for byte. */
function checkIsOurs(database: DatabaseSync, path: string): void {
  const id = Number(database.prepare('pragma application_id').get()?.['application_id'] ?? 0);
  const isEmpty = database.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (isEmpty) return;
  if (id !== applicationId) {
    throw new LongshoreError(
      'store-corrupt',
      `${path} is another program's database and was left untouched. Choose another home with LONGSHORE_HOME.`,
      { data: { path } },
    );
  }
  if (statSync(path).size <= checkedBytes) {
    const verdict = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
    if (verdict !== 'ok') throw corruptStore(path, new Error(String(verdict)));
  }
}

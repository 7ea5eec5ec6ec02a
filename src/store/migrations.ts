import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { LongshoreError } from '../core/errors.ts';
import { storeError } from './sqlite-errors.ts';
import type { Migration, NoTables, Table } from './table.ts';
import { tables } from './tables.ts';

/** "LONG": tells our database from another program's. */
export const applicationId = 0x4c4f4e47;

/** Every migration of every table, in order. */
export function allMigrations(): readonly Migration[] {
  return Object.values<Table<unknown>>(tables)
    .flatMap(table => table.migrations)
    .sort((a, b) => a.number - b.number);
}

function schemaNumber(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0);
}

/**
 * Brings a database forward to the newest schema in one transaction, or leaves it as it was.
 * Throws `store-newer` for a database that a newer Longshore has written.
 */
export async function migrate(
  database: DatabaseSync,
  db: Kysely<NoTables>,
  path: string,
  migrations: readonly Migration[] = allMigrations(),
): Promise<void> {
  const newest = migrations.at(-1)?.number ?? 0;
  try {
    if (schemaNumber(database) === newest) return;
    // Taking the write lock first makes the number read below the one that counts, whoever else migrates.
    database.exec('begin immediate');
    const current = schemaNumber(database);
    if (current > newest) {
      throw new LongshoreError(
        'store-newer',
        `${path} was written by a newer Longshore (schema ${current}, this one knows ${newest}). Install that version again; nothing was changed.`,
        { data: { path, found: current, known: newest } },
      );
    }
    for (const migration of migrations) {
      if (migration.number > current) await migration.up(db);
    }
    database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${newest}`);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw storeError(error, path);
  }
}

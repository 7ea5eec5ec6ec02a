import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { storeError } from './sqlite-errors.ts';

/** How many prepared statements are kept; the queries of all tables fit. */
const keptStatements = 256;

/** A statement that does nothing: SQLite itself has already rolled back what the caller wants to roll back. */
const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

/**
 * node:sqlite in the shape that kysely's SQLite dialect expects, keeping prepared statements by their text.
 * Errors come out as `storeError` names them. `onCommitted` is told after every statement that may have written.
 */
export function sqliteAdapter(database: DatabaseSync, path: string, onCommitted: () => void): SqliteDatabase {
  const statements = new LRUCache<string, SqliteStatement>({ max: keptStatements });

  function guarded<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      throw storeError(error, path);
    }
  }

  function wrap(statement: StatementSync): SqliteStatement {
    // The values come from our own queries, whose column types admit nothing else.
    const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: parameters => guarded(() => statement.all(...values(parameters))),
      run: parameters => {
        const changed = guarded(() => statement.run(...values(parameters)));
        onCommitted();
        return changed;
      },
      iterate: parameters => guarded(() => statement.iterate(...values(parameters))),
    };
  }

  return {
    close: () => guarded(() => database.close()),
    prepare(text) {
      // After a failed commit (a full disk) SQLite may have rolled back; a second rollback would hide that error.
      if (text === 'rollback' && !database.isTransaction) return nothing;
      const kept = statements.get(text);
      if (kept) return kept;
      const statement = guarded(() => wrap(database.prepare(text)));
      statements.set(text, statement);
      return statement;
    },
  };
}

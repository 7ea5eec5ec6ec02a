import type { Clock } from '../core/clock.ts';
import { type RandomId, randomId } from '../core/ids.ts';
import { openDatabase } from './database.ts';
import type { Table, TableTools } from './table.ts';
import { tables } from './tables.ts';

type Faces = { readonly [Name in keyof typeof tables]: ReturnType<(typeof tables)[Name]['open']> };

/** The open database: one member per table (ledger, verdicts, servers …), each a port or a table's own functions. */
export interface Store extends Faces, AsyncDisposable {
  /** Closes the database once. */
  close(): Promise<void>;
}

/** Where the database is (`:memory:` for one that nobody else sees) and the world around it. */
export interface StoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly randomId?: RandomId;
}

/** Opens the database with all its tables. Rejects with `store-corrupt`, `store-newer` or `cannot-record`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = await openDatabase(options.path);
  const { db, toDisk } = database;
  const tools: TableTools = { db, toDisk, clock: options.clock, randomId: options.randomId ?? randomId };
  const faces = Object.fromEntries(
    Object.entries<Table<unknown>>(tables).map(([name, table]) => [name, table.open(tools)]),
  ) as Faces;
  return { ...faces, close: database.close, [Symbol.asyncDispose]: database.close };
}

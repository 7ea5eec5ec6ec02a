import type { Kysely } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { RandomId } from '../core/ids.ts';

/** A database of which nothing is known yet; a table file says `db.$extendTables<ItsTables>()`. */
export type NoTables = Record<never, never>;

/** One step of the schema, run once in every database, in the order of the numbers over all tables. */
export interface Migration {
  /** 1, 2, 3 …, unique over all tables; never changed once released. */
  readonly number: number;
  up(db: Kysely<NoTables>): Promise<void>;
}

/** What a table's file is given to work with. */
export interface TableTools {
  readonly db: Kysely<NoTables>;
  /** Resolves when everything committed by now would survive a power cut. Rejects with `cannot-record`. */
  readonly toDisk: () => Promise<void>;
  readonly clock: Clock;
  readonly randomId: RandomId;
}

/** One table file: its schema's history, and the port or functions that it gives to the rest of the program. */
export interface Table<Face> {
  readonly migrations: readonly Migration[];
  open(tools: TableTools): Face;
}

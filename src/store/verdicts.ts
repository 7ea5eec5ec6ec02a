import { sql } from 'kysely';
import type { Verdict, Verdicts } from '../core/ports/verdicts.ts';
import type { Migration, Table } from './table.ts';

/** How long a verdict holds: a stale `legacy` never corrects itself, and asking anew costs one round trip. */
const lifetimeMilliseconds = 24 * 60 * 60 * 1000;

type VerdictsTables = {
  verdicts: { key: string; verdict_json: string; expires_at: number };
};

const create: Migration = {
  number: 2,
  async up(db) {
    await db.schema
      .createTable('verdicts')
      .addColumn('key', 'text', column => column.primaryKey())
      .addColumn('verdict_json', 'text', column => column.notNull())
      .addColumn('expires_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** Which era each server was found to speak, for a day, across restarts. */
export const verdictsTable: Table<Verdicts> = {
  migrations: [create],
  open({ db: untyped, clock }) {
    const db = untyped.$extendTables<VerdictsTables>();
    return {
      async get(key) {
        const row = await db
          .selectFrom('verdicts')
          .select('verdict_json')
          .where('key', '=', key)
          .where('expires_at', '>', clock.now())
          .executeTakeFirst();
        return row && (JSON.parse(row.verdict_json) as Verdict);
      },
      async put(key, verdict) {
        const row = {
          key,
          verdict_json: JSON.stringify(verdict),
          expires_at: clock.now() + lifetimeMilliseconds,
        };
        await db.deleteFrom('verdicts').where('expires_at', '<=', clock.now()).execute();
        await db
          .insertInto('verdicts')
          .values(row)
          .onConflict(conflict => conflict.column('key').doUpdateSet(row))
          .execute();
      },
      async forget(key) {
        await db.deleteFrom('verdicts').where('key', '=', key).execute();
      },
    };
  },
};

import { sql } from 'kysely';
import type { ImageTransport, ImageTransports } from '../core/ports/image-transports.ts';
import type { Migration, Table } from './table.ts';

/** How long it is remembered that nobody used: an image that is started again is remembered anew. */
const lifetimeMilliseconds = 90 * 24 * 60 * 60 * 1000;

type ImageTransportsTables = {
  image_transports: { key: string; transport_json: string; expires_at: number };
};

const create: Migration = {
  number: 11,
  async up(db) {
    await db.schema
      .createTable('image_transports')
      .addColumn('key', 'text', column => column.primaryKey())
      .addColumn('transport_json', 'text', column => column.notNull())
      .addColumn('expires_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** How images were found to be spoken to, across restarts. */
export const imageTransportsTable: Table<ImageTransports> = {
  migrations: [create],
  open({ db: untyped, clock }) {
    const db = untyped.$extendTables<ImageTransportsTables>();
    return {
      async get(key) {
        const row = await db
          .selectFrom('image_transports')
          .select('transport_json')
          .where('key', '=', key)
          .where('expires_at', '>', clock.now())
          .executeTakeFirst();
        return row && (JSON.parse(row.transport_json) as ImageTransport);
      },
      async put(key, found) {
        const now = clock.now();
        const row = { key, transport_json: JSON.stringify(found), expires_at: now + lifetimeMilliseconds };
        await db.deleteFrom('image_transports').where('expires_at', '<=', now).execute();
        await db
          .insertInto('image_transports')
          .values(row)
          .onConflict(conflict => conflict.column('key').doUpdateSet(row))
          .execute();
      },
      async forget(key) {
        await db.deleteFrom('image_transports').where('key', '=', key).execute();
      },
    };
  },
};

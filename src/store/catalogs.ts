import { sql } from 'kysely';
import type { Migration, Table } from './table.ts';

/** What was last read of one catalog. */
export interface CachedCatalog {
  /** Where it was read from; another place is another catalog. */
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly readAt: number;
  /** JSON; what is in it is the catalog's business. */
  readonly content: string;
}

/** The catalogs that were read, so that they can be searched offline. */
export interface CatalogCache {
  get(id: string): Promise<CachedCatalog | undefined>;
  put(id: string, cached: CachedCatalog): Promise<void>;
}

type CatalogsTables = { catalogs: { id: string; place: string; read_at: number; content_json: string } };

const create: Migration = {
  number: 16,
  async up(db) {
    await db.schema
      .createTable('catalogs')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('place', 'text', column => column.notNull())
      .addColumn('read_at', 'integer', column => column.notNull())
      .addColumn('content_json', 'text', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** One row a catalog: it is read and written as a whole. */
export const catalogsTable: Table<CatalogCache> = {
  migrations: [create],
  open({ db: untyped }) {
    const db = untyped.$extendTables<CatalogsTables>();
    return {
      async get(id) {
        const row = await db.selectFrom('catalogs').selectAll().where('id', '=', id).executeTakeFirst();
        return row && { place: row.place, readAt: row.read_at, content: row.content_json };
      },
      async put(id, { place, readAt, content }) {
        const row = { id, place, read_at: readAt, content_json: content };
        await db
          .insertInto('catalogs')
          .values(row)
          .onConflict(conflict => conflict.column('id').doUpdateSet(row))
          .execute();
      },
    };
  },
};

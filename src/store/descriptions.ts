import { sql } from 'kysely';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { readOlderEra } from '../core/older-era.ts';
import type { SelfDescription } from '../core/words.ts';
import type { Migration, Table } from './table.ts';

/** What saved servers last said of themselves, for as long as they sleep. */
export interface Descriptions {
  of(serverId: string): Promise<SelfDescription | undefined>;
  /** Of all servers, by id; what is damaged is left out. */
  all(): Promise<ReadonlyMap<string, SelfDescription>>;
  /** Keeps it in the place of an earlier one; does nothing for a server that is not saved. */
  put(serverId: string, said: SelfDescription): Promise<void>;
}

type DescriptionsTables = {
  servers: { server_id: string };
  descriptions: {
    server_id: string;
    instructions: string | null;
    capabilities_json: string;
    older_era_json: string | null;
  };
};

const create: Migration = {
  number: 13,
  async up(db) {
    await db.schema
      .createTable('descriptions')
      .addColumn('server_id', 'text', column => column.primaryKey().references('servers.server_id').onDelete('cascade'))
      .addColumn('instructions', 'text')
      .addColumn('capabilities_json', 'text', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
  },
};

const addOlderEra: Migration = {
  number: 14,
  async up(db) {
    await db.schema.alterTable('descriptions').addColumn('older_era_json', 'text').execute();
  },
};

/** Instructions, capabilities and what was learned about the older revisions of each saved server, beside its cached definitions. */
export const descriptionsTable: Table<Descriptions> = {
  migrations: [create, addOlderEra],
  open({ db: untyped }) {
    const db = untyped.$extendTables<DescriptionsTables>();
    return {
      async of(serverId) {
        const row = await db
          .selectFrom('descriptions')
          .selectAll()
          .where('server_id', '=', serverId)
          .executeTakeFirst();
        return row && ifSound(row);
      },
      async all() {
        const rows = await db.selectFrom('descriptions').selectAll().execute();
        const sound = rows.map(row => [row.server_id, ifSound(row)] as const);
        return new Map(sound.flatMap(([id, said]) => (said === undefined ? [] : [[id, said] as const])));
      },
      async put(serverId, { instructions = null, capabilities, olderEra }) {
        const older_era_json = olderEra === undefined ? null : JSON.stringify(olderEra);
        const said = { instructions, capabilities_json: JSON.stringify(capabilities), older_era_json };
        await db.transaction().execute(async transaction => {
          const server = await transaction
            .selectFrom('servers')
            .select('server_id')
            .where('server_id', '=', serverId)
            .executeTakeFirst();
          if (server === undefined) return;
          await transaction
            .insertInto('descriptions')
            .values({ server_id: serverId, ...said })
            .onConflict(conflict => conflict.column('server_id').doUpdateSet(said))
            .execute();
        });
      },
    };
  },
};

function ifSound({
  instructions,
  capabilities_json,
  older_era_json,
}: Omit<DescriptionsTables['descriptions'], 'server_id'>): SelfDescription | undefined {
  try {
    const capabilities = JSON.parse(capabilities_json) as JsonObject;
    const olderEra = readOlderEra(older_era_json === null ? undefined : (JSON.parse(older_era_json) as JsonValue));
    return { capabilities, ...(instructions !== null && { instructions }), ...(olderEra && { olderEra }) };
  } catch {
    return undefined;
  }
}

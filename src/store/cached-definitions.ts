import { type Selectable, sql } from 'kysely';
import { LongshoreError } from '../core/errors.ts';
import type { Digest } from '../core/ids.ts';
import type { Definition, HandleKind } from '../core/words.ts';
import type { Migration, Table } from './table.ts';

/** What a saved server last offered: enough to show its handles while it sleeps. */
export interface CachedDefinition {
  readonly kind: HandleKind;
  /** A tool's or prompt's name, a resource's URI. */
  readonly wireName: string;
  /** Verbatim: name, description and schemas are in it. */
  readonly definition: Definition;
  readonly definitionDigest: Digest;
  /** The revision that was negotiated then. */
  readonly protocolVersion: string;
  /** Milliseconds since 1970. */
  readonly discoveredAt: number;
}

/** The cached definitions of saved servers, in the order in which they were discovered. */
export interface CachedDefinitions {
  of(serverId: string): Promise<readonly CachedDefinition[]>;
  /** Of all servers at once, by id; `undefined` for a server of which something is damaged. */
  all(): Promise<ReadonlyMap<string, readonly CachedDefinition[] | undefined>>;
  /** Puts these in the place of all earlier ones of that server, all or none. `unknown-server` if it is not saved. */
  replace(serverId: string, definitions: readonly Omit<CachedDefinition, 'discoveredAt'>[]): Promise<void>;
}

type CachedDefinitionsTables = {
  servers: { server_id: string };
  cached_definitions: {
    server_id: string;
    kind: HandleKind;
    wire_name: string;
    position: number;
    definition: string;
    definition_digest: string;
    protocol_version: string;
    discovered_at: number;
  };
};

const create: Migration = {
  number: 4,
  async up(db) {
    await db.schema
      .createTable('cached_definitions')
      .addColumn('server_id', 'text', column => column.notNull().references('servers.server_id').onDelete('cascade'))
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('wire_name', 'text', column => column.notNull())
      .addColumn('position', 'integer', column => column.notNull())
      .addColumn('definition', 'text', column => column.notNull())
      .addColumn('definition_digest', 'text', column => column.notNull())
      .addColumn('protocol_version', 'text', column => column.notNull())
      .addColumn('discovered_at', 'integer', column => column.notNull())
      .addPrimaryKeyConstraint('cached_definitions_key', ['server_id', 'kind', 'wire_name'])
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** What each saved server last offered. */
export const cachedDefinitionsTable: Table<CachedDefinitions> = {
  migrations: [create],
  open({ db: untyped, clock }) {
    const db = untyped.$extendTables<CachedDefinitionsTables>();
    return {
      async of(serverId) {
        const rows = await db
          .selectFrom('cached_definitions')
          .selectAll()
          .where('server_id', '=', serverId)
          .orderBy('position')
          .execute();
        return rows.map(asCached);
      },
      async all() {
        // Each server's few rows are put in order here: a sort of all of them would move every definition about.
        const rows = await db.selectFrom('cached_definitions').selectAll().execute();
        const servers = [...Map.groupBy(rows, row => row.server_id)];
        return new Map(servers.map(([id, own]) => [id, ifSound(own.sort((a, b) => a.position - b.position))]));
      },
      async replace(serverId, definitions) {
        await db.transaction().execute(async transaction => {
          const server = await transaction
            .selectFrom('servers')
            .select('server_id')
            .where('server_id', '=', serverId)
            .executeTakeFirst();
          if (server === undefined) {
            throw new LongshoreError('unknown-server', `No server with the id ${serverId} is saved.`);
          }
          await transaction.deleteFrom('cached_definitions').where('server_id', '=', serverId).execute();
          for (const [position, entry] of definitions.entries()) {
            await transaction
              .insertInto('cached_definitions')
              .values({
                server_id: serverId,
                kind: entry.kind,
                wire_name: entry.wireName,
                position,
                definition: JSON.stringify(entry.definition),
                definition_digest: entry.definitionDigest,
                protocol_version: entry.protocolVersion,
                discovered_at: clock.now(),
              })
              .execute();
          }
        });
      },
    };
  },
};

function asCached(row: Selectable<CachedDefinitionsTables['cached_definitions']>): CachedDefinition {
  return {
    kind: row.kind,
    wireName: row.wire_name,
    definition: JSON.parse(row.definition) as Definition,
    definitionDigest: row.definition_digest as Digest,
    protocolVersion: row.protocol_version,
    discoveredAt: row.discovered_at,
  };
}

function ifSound(rows: readonly Parameters<typeof asCached>[0][]): readonly CachedDefinition[] | undefined {
  try {
    return rows.map(asCached);
  } catch {
    return undefined;
  }
}

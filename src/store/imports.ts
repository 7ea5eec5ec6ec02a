import { sql } from 'kysely';
import type { AgentId } from '../core/ids.ts';
import type { SavedServer } from './servers.ts';
import type { Migration, Table } from './table.ts';

/** What the last import of an agent did. Secrets are references, never values. */
export interface LastImport {
  /** Ids of servers that it added, and when each was last changed by it, in milliseconds since 1970. */
  readonly created: readonly { readonly serverId: string; readonly updatedAt: number }[];
  /** Servers that it changed, as they were before, and when it changed them. */
  readonly updated: readonly { readonly before: SavedServer; readonly updatedAt: number }[];
}

/** What imports leave behind besides servers. */
export interface Imports {
  /** The last import of an agent that did something, if it was not undone. */
  last(agentId: AgentId): Promise<LastImport | undefined>;
  setLast(agentId: AgentId, last: LastImport | undefined): Promise<void>;
  /** Remembers that a client's file had these servers, by id. */
  remember(agentId: AgentId, client: string, serverIds: readonly string[]): Promise<void>;
  /** Ids of the servers that each client's file had; some may be gone. */
  clients(agentId: AgentId): Promise<ReadonlyMap<string, readonly string[]>>;
}

type ImportTables = {
  last_imports: { agent_id: string; undo_json: string };
  client_servers: { agent_id: string; client: string; server_id: string };
};

const create: Migration = {
  number: 17,
  async up(db) {
    await db.schema
      .createTable('last_imports')
      .addColumn('agent_id', 'text', column => column.primaryKey())
      .addColumn('undo_json', 'text', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
    await db.schema
      .createTable('client_servers')
      .addColumn('agent_id', 'text', column => column.notNull())
      .addColumn('client', 'text', column => column.notNull())
      .addColumn('server_id', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('client_servers_key', ['agent_id', 'client', 'server_id'])
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** What the last import did, and which client had which server. */
export const importsTable: Table<Imports> = {
  migrations: [create],
  open({ db: untyped }) {
    const db = untyped.$extendTables<ImportTables>();
    return {
      async last(agentId) {
        const row = await db
          .selectFrom('last_imports')
          .select('undo_json')
          .where('agent_id', '=', agentId)
          .executeTakeFirst();
        return row && (JSON.parse(row.undo_json) as LastImport);
      },
      async setLast(agentId, last) {
        await db.deleteFrom('last_imports').where('agent_id', '=', agentId).execute();
        if (last === undefined) return;
        await db
          .insertInto('last_imports')
          .values({ agent_id: agentId, undo_json: JSON.stringify(last) })
          .execute();
      },
      async remember(agentId, client, serverIds) {
        for (const serverId of serverIds) {
          const row = { agent_id: agentId, client, server_id: serverId };
          await db
            .insertInto('client_servers')
            .values(row)
            .onConflict(conflict => conflict.doNothing())
            .execute();
        }
      },
      async clients(agentId) {
        const rows = await db.selectFrom('client_servers').selectAll().where('agent_id', '=', agentId).execute();
        const found = new Map<string, string[]>();
        for (const { client, server_id } of rows) found.set(client, [...(found.get(client) ?? []), server_id]);
        return found;
      },
    };
  },
};

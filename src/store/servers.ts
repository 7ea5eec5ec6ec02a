import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { isUniqueViolation } from './sqlite-errors.ts';
import type { Migration, Table } from './table.ts';

/** How a saved server is restored, kept whatever a catalog says later (R69). */
export type SavedMode = 'config' | 'container' | 'gateway';

/** What is saved of a server (R68). Secrets are references, never values. */
export interface ServerEntry {
  readonly agentId: AgentId;
  /** Unique within its agent; the gateway's entries have names of their own. */
  readonly name: string;
  /** Chosen once; an entry that updates a saved server keeps the saved key. */
  readonly serverKey: ServerKey;
  readonly mode: SavedMode;
  /** The MCPServerConfig of mode `config`, and what an operator has set for the other modes. */
  readonly config: JsonObject | null;
  /** Image reference with its tag explicit, of mode `container`. */
  readonly image: string | null;
  /** Arguments after the image. */
  readonly args: readonly string[] | null;
  /** A disabled server is never started. */
  readonly enabled: boolean;
  /** One that was unloaded is not listed among what can be called, and no call starts it, until it is loaded. */
  readonly loaded: boolean;
  /** Who saved it: a Caller. */
  readonly actor: string;
}

/** A saved server; times in milliseconds since 1970. */
export interface SavedServer extends ServerEntry {
  readonly serverId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The saved servers of all agents. */
export interface Servers {
  /** By name; of one agent, or of all. A damaged row has neither config nor image. */
  list(agentId?: AgentId): Promise<readonly SavedServer[]>;
  get(serverId: string): Promise<SavedServer | undefined>;
  /**
   * Saves all or none: a name that its agent already has is updated and keeps its id and key (R22).
   * `name-in-use` if a new entry's key belongs to another server.
   */
  save(
    entries: readonly ServerEntry[],
  ): Promise<readonly { readonly server: SavedServer; readonly created: boolean }[]>;
  /** Changes one server, its name too; id, agent and key stay. `unknown-server`, or `name-in-use` for a taken name. */
  update(serverId: string, change: Partial<Omit<ServerEntry, 'agentId' | 'serverKey'>>): Promise<SavedServer>;
  /** True if there was one; its cached definitions go with it. */
  remove(serverId: string): Promise<boolean>;
}

type ServerRow = {
  server_id: string;
  agent_id: string;
  name: string;
  server_key: string;
  mode: SavedMode;
  config_json: string | null;
  image: string | null;
  args_json: string | null;
  enabled: 0 | 1;
  loaded: 0 | 1;
  actor: string;
  created_at: number;
  updated_at: number;
};

type ServersTables = { servers: ServerRow; cached_definitions: { server_id: string } };

const create: Migration = {
  number: 3,
  async up(db) {
    await db.schema
      .createTable('servers')
      .addColumn('server_id', 'text', column => column.primaryKey())
      .addColumn('agent_id', 'text', column => column.notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('server_key', 'text', column => column.notNull())
      .addColumn('mode', 'text', column => column.notNull())
      .addColumn('config_json', 'text')
      .addColumn('image', 'text')
      .addColumn('args_json', 'text')
      .addColumn('enabled', 'integer', column => column.notNull())
      .addColumn('actor', 'text', column => column.notNull())
      .addColumn('created_at', 'integer', column => column.notNull())
      .addColumn('updated_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
    // The gateway's entries share one server key, and their names are the catalog's, not the agent's.
    await sql`create unique index servers_name on servers (agent_id, name, mode = 'gateway')`.execute(db);
    await sql`create unique index servers_key on servers (agent_id, server_key) where mode <> 'gateway'`.execute(db);
  },
};

const addLoaded: Migration = {
  number: 15,
  async up(db) {
    await db.schema
      .alterTable('servers')
      .addColumn('loaded', 'integer', column => column.notNull().defaultTo(1))
      .execute();
  },
};

/** Saved servers. */
export const serversTable: Table<Servers> = {
  migrations: [create, addLoaded],
  open({ db: untyped, clock, randomId }) {
    const db = untyped.$extendTables<ServersTables>();
    return {
      async list(agentId) {
        let query = db.selectFrom('servers').selectAll().orderBy('name').orderBy('mode').orderBy('agent_id');
        if (agentId !== undefined) query = query.where('agent_id', '=', agentId);
        return (await query.execute()).map(asServer);
      },
      async get(serverId) {
        const row = await db.selectFrom('servers').selectAll().where('server_id', '=', serverId).executeTakeFirst();
        return row && asServer(row);
      },
      save(entries) {
        return named(() =>
          db.transaction().execute(async transaction => {
            const saved: { server: SavedServer; created: boolean }[] = [];
            for (const entry of entries) {
              const existing = await findByName(transaction, entry);
              const row = existing
                ? await change(transaction, existing, entry, clock.now())
                : await insert(transaction, uuid(randomId()), entry, clock.now());
              saved.push({ server: asServer(row), created: existing === undefined });
            }
            return saved;
          }),
        );
      },
      update(serverId, changes) {
        return named(() =>
          db.transaction().execute(async transaction => {
            const row = await transaction
              .selectFrom('servers')
              .selectAll()
              .where('server_id', '=', serverId)
              .executeTakeFirst();
            if (row === undefined) {
              throw new LongshoreError('unknown-server', `No server with the id ${serverId} is saved.`);
            }
            return asServer(await change(transaction, row, { ...asServer(row), ...changes }, clock.now()));
          }),
        );
      },
      async remove(serverId) {
        const { numDeletedRows } = await db.deleteFrom('servers').where('server_id', '=', serverId).executeTakeFirst();
        return numDeletedRows > 0n;
      },
    };
  },
};

async function named<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new LongshoreError(
      'name-in-use',
      'Another server of this agent already has that name or server key. Choose another name, or remove that server first.',
      { cause: error },
    );
  }
}

function findByName(db: Kysely<ServersTables>, entry: ServerEntry): Promise<ServerRow | undefined> {
  return db
    .selectFrom('servers')
    .selectAll()
    .where('agent_id', '=', entry.agentId)
    .where('name', '=', entry.name)
    .where('mode', entry.mode === 'gateway' ? '=' : '!=', 'gateway')
    .executeTakeFirst();
}

function insert(db: Kysely<ServersTables>, id: string, entry: ServerEntry, now: number): Promise<ServerRow> {
  const row: Insertable<ServerRow> = {
    ...columns(entry),
    server_id: id,
    agent_id: entry.agentId,
    server_key: entry.serverKey,
    created_at: now,
    updated_at: now,
  };
  return db.insertInto('servers').values(row).returningAll().executeTakeFirstOrThrow();
}

/** What a server would start as decides whether its cached definitions may still be shown. */
async function change(db: Kysely<ServersTables>, row: ServerRow, entry: ServerEntry, now: number): Promise<ServerRow> {
  const next = columns(entry);
  const isOther =
    next.mode !== row.mode ||
    next.config_json !== row.config_json ||
    next.image !== row.image ||
    next.args_json !== row.args_json;
  if (isOther) await db.deleteFrom('cached_definitions').where('server_id', '=', row.server_id).execute();
  return db
    .updateTable('servers')
    .set({ ...next, updated_at: now })
    .where('server_id', '=', row.server_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function columns(entry: ServerEntry) {
  return {
    name: entry.name,
    mode: entry.mode,
    config_json: entry.config && JSON.stringify(entry.config),
    image: entry.image,
    args_json: entry.args && JSON.stringify(entry.args),
    enabled: entry.enabled ? 1 : 0,
    loaded: entry.loaded ? 1 : 0,
    actor: entry.actor,
  } as const;
}

/** 128 random bits in the shape of a UUID, which D1's REST API promises. */
function uuid(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20)].join(
    '-',
  );
}

/** A row whose JSON is damaged comes back without config, image and arguments, and keeps no other from being read. */
function asServer(row: Selectable<ServerRow>): SavedServer {
  const start = startIn(row) ?? { config: null, image: null, args: null };
  return {
    serverId: row.server_id,
    agentId: row.agent_id as AgentId,
    name: row.name,
    serverKey: row.server_key as ServerKey,
    mode: row.mode,
    ...start,
    enabled: row.enabled === 1,
    loaded: row.loaded === 1,
    actor: row.actor,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function startIn({ config_json, image, args_json }: Selectable<ServerRow>) {
  try {
    return {
      config: config_json === null ? null : (JSON.parse(config_json) as JsonObject),
      image,
      args: args_json === null ? null : (JSON.parse(args_json) as readonly string[]),
    };
  } catch {
    return undefined;
  }
}

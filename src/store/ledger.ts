import { type Selectable, sql } from 'kysely';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, HoldingId, InstanceId, ServerKey } from '../core/ids.ts';
import type { EngineAddress, Holding, HoldingKind, HoldingState, Ledger } from '../core/ports/ledger.ts';
import type { Migration, Table } from './table.ts';

type LedgerTables = {
  ledger: {
    id: string;
    kind: HoldingKind;
    state: HoldingState;
    agent_id: string;
    server_key: string;
    instance: string;
    marker: string;
    name: string | null;
    image: string | null;
    engine_id: string | null;
    last_error: string | null;
    /** An EngineAddress as JSON. */
    engine: string | null;
    created_at: number;
    updated_at: number;
  };
};

const create: Migration = {
  number: 1,
  async up(db) {
    await db.schema
      .createTable('ledger')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('state', 'text', column => column.notNull())
      .addColumn('agent_id', 'text', column => column.notNull())
      .addColumn('server_key', 'text', column => column.notNull())
      .addColumn('instance', 'text', column => column.notNull())
      .addColumn('marker', 'text', column => column.notNull())
      .addColumn('name', 'text')
      .addColumn('image', 'text')
      .addColumn('engine_id', 'text')
      .addColumn('engine', 'text')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'integer', column => column.notNull())
      .addColumn('updated_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
    await db.schema.createIndex('ledger_server').on('ledger').columns(['agent_id', 'server_key']).execute();
  },
};

/** The durable table of holdings (R62): a promise that resolved means that the row is on disk. */
export const ledgerTable: Table<Ledger> = {
  migrations: [create],
  open({ db: untyped, clock, randomId }) {
    const db = untyped.$extendTables<LedgerTables>();
    return {
      async record(holding) {
        const now = clock.now();
        const row = await db
          .insertInto('ledger')
          .values({
            id: randomId(),
            kind: holding.kind,
            state: 'intent',
            agent_id: holding.agentId,
            server_key: holding.serverKey,
            instance: holding.instance,
            marker: holding.marker,
            name: holding.name,
            image: holding.image,
            engine_id: null,
            last_error: null,
            engine: holding.engine ? JSON.stringify(holding.engine) : null,
            created_at: now,
            updated_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return asHolding(row);
      },
      async update(id, change) {
        let query = db.updateTable('ledger').where('id', '=', id).set({ updated_at: clock.now() });
        if (change.engineId !== undefined) query = query.set({ engine_id: change.engineId });
        if (change.lastError !== undefined) query = query.set({ last_error: change.lastError });
        if (change.name !== undefined) query = query.set({ name: change.name });
        if (change.state !== undefined) {
          query = query.set({ state: change.state });
          // From `failed` only `closing` is left; a new error may still be noted.
          if (change.state !== 'closing' && change.state !== 'failed') query = query.where('state', '!=', 'failed');
        }
        const { numUpdatedRows } = await query.executeTakeFirst();
        if (numUpdatedRows === 0n) {
          throw new LongshoreError(
            'internal',
            `The ledger has no holding ${id} that may become ${change.state ?? 'changed'}.`,
          );
        }
      },
      async forget(id) {
        await db.deleteFrom('ledger').where('id', '=', id).execute();
      },
      async list(filter = {}) {
        let query = db.selectFrom('ledger').selectAll().orderBy('created_at').orderBy(sql`rowid`);
        if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId);
        if (filter.serverKey !== undefined) query = query.where('server_key', '=', filter.serverKey);
        return (await query.execute()).map(asHolding);
      },
    };
  },
};

function asHolding(row: Selectable<LedgerTables['ledger']>): Holding {
  return {
    id: row.id as HoldingId,
    kind: row.kind,
    state: row.state,
    agentId: row.agent_id as AgentId,
    serverKey: row.server_key as ServerKey,
    instance: row.instance as InstanceId,
    marker: row.marker,
    name: row.name,
    image: row.image,
    engineId: row.engine_id,
    engine: row.engine === null ? null : (JSON.parse(row.engine) as EngineAddress),
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

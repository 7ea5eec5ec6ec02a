import { type CompiledQuery, sql } from 'kysely';
import type { AgentId, HandleName } from '../core/ids.ts';
import type { Migration, Table } from './table.ts';

/**
 * One row of the record, as stored. `hash` is over all the others and `prev` is the hash of the row before; what the
 * texts mean is the audit's business.
 */
export interface AuditRow {
  /** 1, 2, 3 …, without gaps. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `authorisation`, `outcome` or `change`. */
  readonly kind: string;
  readonly dispatch_id: string | null;
  readonly agent_id: string | null;
  readonly caller: string | null;
  readonly owner_key: string | null;
  readonly handle_name: string | null;
  readonly handle_kind: string | null;
  readonly wire_name: string | null;
  readonly epoch: string | null;
  readonly protocol_version: string | null;
  readonly definition_digest: string | null;
  readonly args_digest: string | null;
  readonly args: string | null;
  readonly decision: string | null;
  readonly rule_id: string | null;
  readonly approval_id: string | null;
  /** What was changed, and on what. */
  readonly action: string | null;
  readonly subject: string | null;
  readonly status: string | null;
  readonly message: string | null;
  readonly latency_ms: number | null;
  readonly result_size: number | null;
  readonly prev: string;
  readonly hash: string;
}

/** Which rows to read. */
export interface AuditFilter {
  readonly agentId?: AgentId;
  readonly handleName?: HandleName;
  readonly decision?: string;
  readonly dispatchId?: string;
  readonly approvalId?: string;
  /** Not before this time, milliseconds since 1970. */
  readonly since?: number;
  /** Only rows with a greater, or a smaller, `seq`. */
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
  readonly order: 'oldest-first' | 'newest-first';
}

/** The record: rows are added and read, never changed. */
export interface AuditRows {
  /** Writes all of them in one commit, or none; from then on our own end, however sudden, loses none of them. */
  append(rows: readonly AuditRow[]): Promise<void>;
  /** Resolves when everything written by now would survive a power cut too. Rejects with `cannot-record`. */
  toDisk(): Promise<void>;
  read(filter: AuditFilter): Promise<readonly AuditRow[]>;
  /** How an agent's handles were used, in the last so many rows of the record: what is looked at stays small. */
  usage(agentId: AgentId, within: number): Promise<readonly HandleUsage[]>;
}

/** How often a handle was called lately, and what came of it; refused calls do not count. */
export interface HandleUsage {
  readonly handleName: string;
  readonly calls: number;
  readonly succeeded: number;
  /** Milliseconds. */
  readonly averageLatency: number;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
}

type AuditTables = { audit: { [Column in keyof AuditRow]: AuditRow[Column] } };

/** Every column in the order in which it is hashed and written. */
export const auditColumns = [
  'seq',
  'at',
  'kind',
  'dispatch_id',
  'agent_id',
  'caller',
  'owner_key',
  'handle_name',
  'handle_kind',
  'wire_name',
  'epoch',
  'protocol_version',
  'definition_digest',
  'args_digest',
  'args',
  'decision',
  'rule_id',
  'approval_id',
  'action',
  'subject',
  'status',
  'message',
  'latency_ms',
  'result_size',
  'prev',
  'hash',
] as const satisfies readonly (keyof AuditRow)[];

const integers: ReadonlySet<string> = new Set(['at', 'latency_ms', 'result_size']);
const required: ReadonlySet<string> = new Set(['at', 'kind', 'prev', 'hash']);

const create: Migration = {
  number: 8,
  async up(db) {
    let table = db.schema.createTable('audit').addColumn('seq', 'integer', column => column.primaryKey());
    for (const name of auditColumns.slice(1)) {
      table = table.addColumn(name, integers.has(name) ? 'integer' : 'text', column =>
        required.has(name) ? column.notNull() : column,
      );
    }
    await table.modifyEnd(sql`strict`).execute();
    await db.schema.createIndex('audit_dispatch').on('audit').column('dispatch_id').execute();
    await db.schema.createIndex('audit_handle').on('audit').columns(['handle_name', 'seq']).execute();
    // Nobody who may write the file is stopped by these; a mistake of ours is.
    await sql`create trigger audit_no_update before update on audit begin select raise(abort, 'the audit is append-only'); end`.execute(
      db,
    );
    await sql`create trigger audit_no_delete before delete on audit begin select raise(abort, 'the audit is append-only'); end`.execute(
      db,
    );
  },
};

/** The record of what was asked, decided, done and changed. */
export const auditTable: Table<AuditRows> = {
  migrations: [create],
  open({ db: untyped, toDisk }) {
    const db = untyped.$extendTables<AuditTables>();
    const inserts = new Map<number, CompiledQuery>();

    /** The statement for so many rows, compiled once: calls wait for it. */
    function insertOf(rows: readonly AuditRow[]): CompiledQuery {
      let query = inserts.get(rows.length);
      if (query === undefined) {
        query = db
          .insertInto('audit')
          .columns(auditColumns)
          .values(rows.map(row => ({ ...row })))
          .compile();
        inserts.set(rows.length, query);
      }
      return { ...query, parameters: rows.flatMap(row => auditColumns.map(column => row[column])) };
    }

    return {
      async append(rows) {
        // One statement is its own transaction.
        if (rows.length > 0) await db.executeQuery(insertOf(rows));
      },
      toDisk,
      async read(filter) {
        const direction = filter.order === 'oldest-first' ? 'asc' : 'desc';
        let query = db.selectFrom('audit').selectAll().orderBy('seq', direction).limit(filter.limit);
        if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId);
        if (filter.handleName !== undefined) query = query.where('handle_name', '=', filter.handleName);
        if (filter.decision !== undefined) query = query.where('decision', '=', filter.decision);
        if (filter.dispatchId !== undefined) query = query.where('dispatch_id', '=', filter.dispatchId);
        if (filter.approvalId !== undefined) query = query.where('approval_id', '=', filter.approvalId);
        if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
        if (filter.after !== undefined) query = query.where('seq', '>', filter.after);
        if (filter.before !== undefined) query = query.where('seq', '<', filter.before);
        return await query.execute();
      },
      async usage(agentId, within) {
        const rows = await db
          .selectFrom('audit')
          .where('seq', '>', eb => eb.selectFrom('audit').select(sql<number>`max(seq) - ${within}`.as('first')))
          .where('agent_id', '=', agentId)
          .where('kind', '=', 'outcome')
          .where('latency_ms', 'is not', null)
          .where('handle_name', 'is not', null)
          .groupBy('handle_name')
          .select(({ fn }) => [
            'handle_name',
            fn.countAll<number>().as('calls'),
            sql<number>`sum(status = 'ok')`.as('succeeded'),
            fn.avg<number>('latency_ms').as('latency'),
            fn.max('at').as('last'),
          ])
          .execute();
        return rows.map(row => ({
          handleName: row.handle_name ?? '',
          calls: row.calls,
          succeeded: row.succeeded,
          averageLatency: row.latency,
          lastUsedAt: row.last,
        }));
      },
    };
  },
};

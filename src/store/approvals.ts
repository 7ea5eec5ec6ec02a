import { type Selectable, sql } from 'kysely';
import type { AgentId, ApprovalId, Digest, DispatchId, Epoch, HandleName, ServerKey } from '../core/ids.ts';
import type { Caller, HandleKind } from '../core/words.ts';
import type { Migration, Table } from './table.ts';

/** One question to the operator, as it was asked and as it ended. */
export interface StoredApproval {
  readonly id: ApprovalId;
  readonly dispatchId: DispatchId;
  readonly agentId: AgentId;
  readonly caller: Caller;
  readonly ownerKey: ServerKey;
  readonly handleName: HandleName;
  readonly kind: HandleKind;
  readonly epoch: Epoch;
  readonly definitionDigest: Digest;
  readonly argsDigest: Digest;
  /** The arguments as JSON text, masked. */
  readonly args: string;
  readonly state: string;
  readonly scope: string | null;
  readonly reason: string | null;
  /** Through which door the operator decided. */
  readonly decidedBy: string | null;
  /** Milliseconds since 1970, like the other times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly closedAt: number | null;
}

/** How a question ended. */
export type ApprovalEnd = Pick<StoredApproval, 'state' | 'scope' | 'reason' | 'decidedBy' | 'closedAt'>;

/** All questions, open and closed. A promise that resolved means: on disk. */
export interface StoredApprovals {
  add(approval: StoredApproval): Promise<void>;
  end(id: ApprovalId, end: ApprovalEnd): Promise<void>;
  get(id: ApprovalId): Promise<StoredApproval | undefined>;
  /** Newest first. */
  list(filter: { readonly agentId: AgentId; readonly limit: number }): Promise<readonly StoredApproval[]>;
  /** Ends what an earlier run of the host left open, and returns it as it was. */
  endLeftOver(end: ApprovalEnd): Promise<readonly StoredApproval[]>;
}

type ApprovalsTables = {
  approvals: {
    id: string;
    dispatch_id: string;
    agent_id: string;
    caller: string;
    owner_key: string;
    handle_name: string;
    kind: HandleKind;
    epoch: string;
    definition_digest: string;
    args_digest: string;
    args: string;
    state: string;
    scope: string | null;
    reason: string | null;
    decided_by: string | null;
    created_at: number;
    expires_at: number;
    closed_at: number | null;
  };
};

const create: Migration = {
  number: 7,
  async up(db) {
    await db.schema
      .createTable('approvals')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('dispatch_id', 'text', column => column.notNull())
      .addColumn('agent_id', 'text', column => column.notNull())
      .addColumn('caller', 'text', column => column.notNull())
      .addColumn('owner_key', 'text', column => column.notNull())
      .addColumn('handle_name', 'text', column => column.notNull())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('epoch', 'text', column => column.notNull())
      .addColumn('definition_digest', 'text', column => column.notNull())
      .addColumn('args_digest', 'text', column => column.notNull())
      .addColumn('args', 'text', column => column.notNull())
      .addColumn('state', 'text', column => column.notNull())
      .addColumn('scope', 'text')
      .addColumn('reason', 'text')
      .addColumn('decided_by', 'text')
      .addColumn('created_at', 'integer', column => column.notNull())
      .addColumn('expires_at', 'integer', column => column.notNull())
      .addColumn('closed_at', 'integer')
      .modifyEnd(sql`strict`)
      .execute();
    await db.schema.createIndex('approvals_agent').on('approvals').columns(['agent_id', 'created_at']).execute();
  },
};

/** The questions to the operator. */
export const approvalsTable: Table<StoredApprovals> = {
  migrations: [create],
  open({ db: untyped }) {
    const db = untyped.$extendTables<ApprovalsTables>();
    return {
      async add(approval) {
        await db.insertInto('approvals').values(asRow(approval)).execute();
      },
      async end(id, end) {
        await db.updateTable('approvals').set(endColumns(end)).where('id', '=', id).execute();
      },
      async get(id) {
        const row = await db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();
        return row && asApproval(row);
      },
      async list({ agentId, limit }) {
        const rows = await db
          .selectFrom('approvals')
          .selectAll()
          .where('agent_id', '=', agentId)
          .orderBy('created_at', 'desc')
          .orderBy(sql`rowid`, 'desc')
          .limit(limit)
          .execute();
        return rows.map(asApproval);
      },
      async endLeftOver(end) {
        return await db.transaction().execute(async transaction => {
          const open = await transaction.selectFrom('approvals').selectAll().where('closed_at', 'is', null).execute();
          await transaction.updateTable('approvals').set(endColumns(end)).where('closed_at', 'is', null).execute();
          return open.map(asApproval);
        });
      },
    };
  },
};

function endColumns(end: ApprovalEnd) {
  return {
    state: end.state,
    scope: end.scope,
    reason: end.reason,
    decided_by: end.decidedBy,
    closed_at: end.closedAt,
  };
}

function asRow(approval: StoredApproval): ApprovalsTables['approvals'] {
  return {
    id: approval.id,
    dispatch_id: approval.dispatchId,
    agent_id: approval.agentId,
    caller: approval.caller,
    owner_key: approval.ownerKey,
    handle_name: approval.handleName,
    kind: approval.kind,
    epoch: approval.epoch,
    definition_digest: approval.definitionDigest,
    args_digest: approval.argsDigest,
    args: approval.args,
    ...endColumns(approval),
    created_at: approval.createdAt,
    expires_at: approval.expiresAt,
  };
}

function asApproval(row: Selectable<ApprovalsTables['approvals']>): StoredApproval {
  return {
    id: row.id as ApprovalId,
    dispatchId: row.dispatch_id as DispatchId,
    agentId: row.agent_id as AgentId,
    caller: row.caller as Caller,
    ownerKey: row.owner_key as ServerKey,
    handleName: row.handle_name as HandleName,
    kind: row.kind,
    epoch: row.epoch as Epoch,
    definitionDigest: row.definition_digest as Digest,
    argsDigest: row.args_digest as Digest,
    args: row.args,
    state: row.state,
    scope: row.scope,
    reason: row.reason,
    decidedBy: row.decided_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
  };
}

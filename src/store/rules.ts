import { type Selectable, sql } from 'kysely';
import type { AgentId, RuleId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Migration, Table } from './table.ts';

/** A standing rule as it is stored; what its texts mean is the policy's business. */
export interface StoredRule {
  readonly id: RuleId;
  /** `null`: for every agent of this home. */
  readonly agentId: AgentId | null;
  readonly level: string;
  readonly pattern: string;
  /** `undefined` where the stored text is not JSON any more: the rule must then close the door. */
  readonly pin: JsonObject | null | undefined;
  readonly source: string;
  readonly reason: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The standing rules of all agents. A promise that resolved means: on disk. */
export interface StoredRules {
  all(): Promise<readonly StoredRule[]>;
  /** Adds a rule in the place of the agent's rule with the same pattern, if there is one. */
  put(rule: StoredRule): Promise<void>;
  /** False if there was no such rule. */
  remove(id: RuleId): Promise<boolean>;
}

type RulesTables = {
  rules: {
    id: string;
    agent_id: string | null;
    level: string;
    pattern: string;
    pin_json: string | null;
    source: string;
    reason: string | null;
    created_at: number;
  };
};

const create: Migration = {
  number: 6,
  async up(db) {
    await db.schema
      .createTable('rules')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('agent_id', 'text')
      .addColumn('level', 'text', column => column.notNull())
      .addColumn('pattern', 'text', column => column.notNull())
      .addColumn('pin_json', 'text')
      .addColumn('source', 'text', column => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('created_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
    await sql`create unique index rules_pattern on rules (coalesce(agent_id, ''), pattern)`.execute(db);
  },
};

/** The standing rules. */
export const rulesTable: Table<StoredRules> = {
  migrations: [create],
  open({ db: untyped }) {
    const db = untyped.$extendTables<RulesTables>();
    return {
      async all() {
        const rows = await db.selectFrom('rules').selectAll().orderBy('created_at').orderBy('id').execute();
        return rows.map(asRule);
      },
      async put(rule) {
        await db.transaction().execute(async transaction => {
          await transaction
            .deleteFrom('rules')
            .where('pattern', '=', rule.pattern)
            .where(sql`agent_id`, 'is', rule.agentId)
            .execute();
          await transaction
            .insertInto('rules')
            .values({
              id: rule.id,
              agent_id: rule.agentId,
              level: rule.level,
              pattern: rule.pattern,
              pin_json: rule.pin ? JSON.stringify(rule.pin) : null,
              source: rule.source,
              reason: rule.reason,
              created_at: rule.createdAt,
            })
            .execute();
        });
      },
      async remove(id) {
        const { numDeletedRows } = await db.deleteFrom('rules').where('id', '=', id).executeTakeFirst();
        return numDeletedRows > 0n;
      },
    };
  },
};

function asRule(row: Selectable<RulesTables['rules']>): StoredRule {
  return {
    id: row.id as RuleId,
    agentId: row.agent_id as AgentId | null,
    level: row.level,
    pattern: row.pattern,
    pin: row.pin_json === null ? null : parsed(row.pin_json),
    source: row.source,
    reason: row.reason,
    createdAt: row.created_at,
  };
}

function parsed(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

import { generateKeyPairSync } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import { didKey } from './did-key.ts';
import { isUniqueViolation } from './sqlite-errors.ts';
import type { Migration, Table } from './table.ts';

/** An agent that was added to a home beside its own. */
export interface AddedAgent {
  readonly agentId: AgentId;
  /** `[A-Za-z0-9_.-]`, unique in the home. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The agents that were added to a home, by name. */
export interface Agents {
  /** In the order in which they were added. */
  list(): Promise<readonly AddedAgent[]>;
  /** Rejects with `name-in-use` for a taken name. */
  add(agent: Pick<AddedAgent, 'agentId' | 'name'>): Promise<AddedAgent>;
}

/** A DID that nothing else has. Its key is thrown away: the agent is told apart by it, and proves nothing with it. */
export function newAgentId(): AgentId {
  return didKey(generateKeyPairSync('ed25519').publicKey);
}

type AgentsTables = { agents: { agent_id: string; name: string; created_at: number } };

const create: Migration = {
  number: 10,
  async up(db) {
    await db.schema
      .createTable('agents')
      .addColumn('agent_id', 'text', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull().unique())
      .addColumn('created_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** Agents beside the home's own. */
export const agentsTable: Table<Agents> = {
  migrations: [create],
  open({ db: untyped, clock }) {
    const db = untyped.$extendTables<AgentsTables>();
    return {
      async list() {
        return (await db.selectFrom('agents').selectAll().orderBy('created_at').orderBy('name').execute()).map(asAgent);
      },
      async add({ agentId, name }) {
        const row = { agent_id: agentId, name, created_at: clock.now() };
        try {
          await db.insertInto('agents').values(row).execute();
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          throw new LongshoreError('name-in-use', `There is an agent ${name} already. Choose another name.`);
        }
        return asAgent(row);
      },
    };
  },
};

function asAgent(row: Selectable<AgentsTables['agents']>): AddedAgent {
  return { agentId: row.agent_id as AgentId, name: row.name, createdAt: row.created_at };
}

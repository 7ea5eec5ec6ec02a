import { LongshoreError } from '../core/errors.ts';
import type { AgentId } from '../core/ids.ts';
import type { Audit } from '../governance/audit/audit.ts';
import { recordedChange } from '../governance/audit/recorded-change.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { type Agents, newAgentId } from '../store/agents.ts';
import type { Callers } from '../store/callers.ts';
import type { Servers } from '../store/servers.ts';

/** An agent of a home. */
export interface HomeAgent {
  readonly agentId: AgentId;
  /** Null for one that an embedding program named by its DID only. */
  readonly name: string | null;
  readonly isDefault: boolean;
  /** How many servers it has saved. */
  readonly servers: number;
  /** Milliseconds since 1970; null for those that were not added here. */
  readonly createdAt: number | null;
}

/** The agents of a home: its own, those that were added, and those that programs brought with them. */
export interface HomeAgents {
  list(): Promise<readonly HomeAgent[]>;
  /** Makes an agent with a DID of its own. Rejects with `usage` for a bad name, `name-in-use`, `cannot-record`. */
  add(actor: string, name: string): Promise<HomeAgent>;
  /** The agent that a name or DID means; without one, the home's own. Rejects with `unknown-agent`. */
  find(nameOrId: string | undefined): Promise<AgentId>;
}

/** What the agents of a home are found in. */
export interface HomeAgentsDeps {
  readonly own: AgentId;
  readonly agents: Agents;
  readonly servers: Pick<Servers, 'list'>;
  readonly callers: Pick<Callers, 'list'>;
  readonly audit: Pick<Audit, 'change' | 'note'>;
  /** Those that are in use in this process. */
  open(): Iterable<AgentId>;
}

/** The home's own agent by name. */
const ownName = 'default';

export function homeAgents(needs: HomeAgentsDeps): HomeAgents {
  async function list(): Promise<readonly HomeAgent[]> {
    const [added, saved, callers] = await Promise.all([
      needs.agents.list(),
      needs.servers.list(),
      needs.callers.list(),
    ]);
    const named = new Map(added.map(agent => [agent.agentId, agent]));
    const others = [...saved, ...callers].map(({ agentId }) => agentId);
    const ids = new Set([needs.own, ...named.keys(), ...others, ...needs.open()]);
    return [...ids].map(agentId => ({
      agentId,
      name: agentId === needs.own ? ownName : (named.get(agentId)?.name ?? null),
      isDefault: agentId === needs.own,
      servers: saved.filter(server => server.agentId === agentId).length,
      createdAt: named.get(agentId)?.createdAt ?? null,
    }));
  }

  return {
    list,
    async add(actor, name) {
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) {
        throw new LongshoreError(
          'usage',
          `An agent is named by 1 to 64 of the characters A-Z a-z 0-9 _ . - and begins with a letter or digit, not ${JSON.stringify(name)}.`,
        );
      }
      if ((await list()).some(agent => agent.name === name)) {
        throw new LongshoreError('name-in-use', `There is an agent ${name} already. Choose another name.`);
      }
      const agentId = newAgentId();
      const entry = { action: 'agent_added', subject: name, agentId, caller: actor };
      const { createdAt } = await recordedChange(needs.audit, entry, () => needs.agents.add({ agentId, name }));
      return { agentId, name, isDefault: false, servers: 0, createdAt };
    },
    async find(nameOrId) {
      if (nameOrId === undefined) return needs.own;
      const all = await list();
      const found = all.find(agent => agent.agentId === nameOrId || agent.name === nameOrId);
      if (found) return found.agentId;
      const names = all.flatMap(({ name }) => name ?? []);
      const near = nearestName(nameOrId, names);
      const hint = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${near}?`;
      throw new LongshoreError('unknown-agent', `There is no agent ${JSON.stringify(nameOrId)}. ${hint}`);
    },
  };
}

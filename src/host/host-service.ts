import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, InstanceId } from '../core/ids.ts';
import type { Holding } from '../core/ports/ledger.ts';
import type { Audit } from '../governance/audit/audit.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { Callers } from '../store/callers.ts';
import type { Home } from '../store/home.ts';
import type { HomeLock } from '../store/home-lock.ts';
import type { Store } from '../store/store.ts';
import type { ManagingServer } from './builtin/managing-server.ts';
import { type ClientSide, createClientSide } from './client-access.ts';
import { createOperator, type OperatorDeps } from './create-operator.ts';
import { type HomeAgents, homeAgents } from './home-agents.ts';
import type { HomeStorage } from './home-storage.ts';
import { type HomeTokens, homeTokens } from './home-tokens.ts';
import type { HostEvents } from './host-events.ts';
import type { HostSecrets } from './host-secrets.ts';
import type { Operator } from './operator.ts';
import type { ServerNotices } from './server-notices.ts';

/** What a program needs that serves a home to others. */
export interface HostService {
  readonly home: Home;
  readonly callers: Callers;
  readonly agents: HomeAgents;
  readonly tokens: HomeTokens;
  readonly secrets: HostSecrets;
  /** What was recorded of the whole home. */
  readonly record: Pick<Audit, 'list' | 'export' | 'verify'>;
  /** Takes secrets out of texts that leave (S15). */
  readonly redactor: Pick<Redactor, 'text'>;
  /** An agent as the operator sees it who has shown itself at that door; the record names the door. */
  operator(agentId: AgentId, door: ChannelName): Operator;
  /** Calls back at every change that edges may care for, of all agents. */
  readonly onEvent: HostEvents['on'];
  /** What servers say unasked: log messages, updated resources. */
  readonly notices: ServerNotices;
  /** What MCP clients are offered. */
  readonly clients: ClientSide;
  /** Whose servers are meant where nobody says. */
  readonly defaultAgent: AgentId;
  /** Says in the home where it is reached. Throws `cannot-record`. */
  announce: HomeLock['announce'];
  /** What should be gone and is not: holdings of ended runs, and those that could not be removed. */
  leftovers(): Promise<readonly Holding[]>;
}

/** Where the operator has shown itself: with its token, on a page that was signed in with it, or to an agent host. */
export type ChannelName = 'rest' | 'page' | 'plugin';

/** What a service is made of. */
export interface HostServiceDeps extends OperatorDeps {
  readonly ground: HomeStorage;
  readonly store: Store;
  readonly instance: InstanceId;
  readonly secrets: HostSecrets;
  readonly events: HostEvents;
  readonly notices: ServerNotices;
  readonly managing: Pick<ManagingServer, 'offer'>;
  readonly clock: Clock;
  /** The agents that are in use in this process. */
  open(): Iterable<AgentId>;
}

/** The service side of a host. Throws `usage` for an ephemeral one: nobody could find it. */
export function hostService(needs: HostServiceDeps): HostService {
  const { ground, store, instance, secrets, events, notices, managing, governance, redactor } = needs;
  if (!ground.home) throw new LongshoreError('usage', 'An ephemeral host has no home to serve.');
  const { files, announce } = ground.home;
  const { audit, desk } = governance;
  const { agents, servers, callers } = store;
  const doors = { rest: desk.admit('rest'), page: desk.admit('page'), plugin: desk.admit('plugin') };
  return {
    home: files,
    callers,
    agents: homeAgents({ own: ground.defaultAgent, agents, servers, callers, audit, open: () => needs.open() }),
    tokens: homeTokens({
      callers,
      audit,
      onChanged(client) {
        const { agentId, caller } = client;
        managing.offer(client);
        events.tell(() => ({ type: 'callers', agentId, caller }));
      },
    }),
    secrets,
    record: audit,
    redactor,
    operator: (agentId, name) => createOperator(needs, agentId, { name, proof: doors[name] }),
    onEvent: listener => events.on(listener),
    notices,
    clients: createClientSide({ ...needs, callers }),
    defaultAgent: ground.defaultAgent,
    announce,
    async leftovers() {
      const holdings = await store.ledger.list();
      return holdings.filter(holding => holding.instance !== instance || holding.state === 'failed');
    },
  };
}

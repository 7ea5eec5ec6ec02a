import type { CallerScope } from '../core/caller-scope.ts';
import type { Clock } from '../core/clock.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { Caller, Handle } from '../core/words.ts';
import type { Dispatch } from '../governance/dispatch/call.ts';
import { isHidden, isListed } from '../governance/dispatch/caller-scope.ts';
import type { GovernedSubscriptions } from '../governance/dispatch/subscriptions.ts';
import type { Governance } from '../governance/governance.ts';
import type { Registry } from '../governance/registry/registry.ts';
import { createToolSearch } from '../governance/registry/tool-index.ts';
import type { Fleet } from '../servers/fleet.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { type HealthDeps, serverHealthOf } from '../servers/server-health-of.ts';
import type { Callers } from '../store/callers.ts';

/** One server as its agent's clients care for it. */
export interface ClientServer {
  readonly server: ServerKey;
  /** What it wants its clients to know. */
  readonly instructions: string | undefined;
  /** Why nothing is known of what it offers; undefined where something is. */
  readonly missing: { readonly state: string; readonly reason: string } | undefined;
}

/** Who asks: a client by its token's id, or the operator itself without a scope. */
export interface ClientIdentity {
  readonly agentId: AgentId;
  readonly caller: Caller;
  readonly scope: () => CallerScope;
}

/** What a host offers to MCP clients: everything through governed dispatch, and what they may see. */
export interface ClientSide {
  readonly dispatch: Dispatch;
  handles(agentId: AgentId): readonly Handle[];
  sees(client: ClientIdentity, handle: Handle): boolean;
  isPinned(client: ClientIdentity, handle: Handle): boolean;
  search(client: ClientIdentity, query: string, limit: number): readonly Handle[];
  servers(agentId: AgentId): readonly ClientServer[];
  /**
   * Starts a server that was never seen, in the background, unless that was tried lately. Settles when its tools are
   * there, when it has failed, or once its start has taken so long that no list should wait for it. Never rejects.
   */
  startUnseen(agentId: AgentId, server: ServerKey): Promise<void>;
  /** Subscribes to a resource as the rules allow; its server is woken and stays awake until disposed. */
  readonly subscribe: GovernedSubscriptions['subscribe'];
  /** Ends subscriptions that tokens do not reach any more. */
  readonly recheckSubscriptions: GovernedSubscriptions['recheck'];
  setLogLevel(agentId: AgentId, level: string): void;
  /** What the token of that id reaches now; nothing once it is revoked. */
  scopeOf: Callers['scopeOf'];
}

/** Dependencies of the face for clients. */
export interface ClientSideDeps extends HealthDeps {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly governance: Governance;
  readonly callers: Callers;
  readonly clock: Clock;
}

/** Milliseconds before a server that did not start is tried again because of a list. */
const tryAgain = 60_000;
/** Milliseconds of its very first start in which lists wait for a server: clients that ask only once find it. */
const firstLook = 2_500;

/** See `ClientSide`. */
export function createClientSide(needs: ClientSideDeps): ClientSide {
  const { fleet, registry, governance, callers, clock } = needs;
  const index = createToolSearch(registry);
  const looks = new Map<string, { readonly at: number; readonly settled: Promise<void> }>();
  const sees: ClientSide['sees'] = ({ caller, scope }, handle) =>
    !isHidden(handle, caller, scope(), governance.rules.policy);

  function missing(member: ManagedServer): ClientServer['missing'] {
    const { agentId, serverKey } = member;
    const isKnown = member.connection !== undefined || registry.list(agentId, { ownerKey: serverKey }).length > 0;
    if (isKnown) return undefined;
    const health = serverHealthOf({ agentId, serverKey, enabled: true, life: member.state, member }, needs);
    return { state: health.state, reason: health.sentence };
  }

  return {
    dispatch: governance.dispatch,
    handles: agentId => registry.list(agentId),
    sees,
    isPinned: ({ scope }, handle) => isListed(scope(), handle),
    search: (client, query, limit) => index.search(client.agentId, query, limit, handle => sees(client, handle)),
    servers: agentId =>
      fleet.list(agentId).map(member => {
        return {
          server: member.serverKey,
          instructions: member.connection?.instructions ?? member.lastSaid?.instructions,
          missing: missing(member),
        };
      }),
    startUnseen(agentId, server) {
      const key = `${agentId} ${server}`;
      const now = clock.now();
      const last = looks.get(key);
      if (last !== undefined && now - last.at < tryAgain) return last.settled;
      const over = new AbortController();
      // What comes of it is told by the server's state and by the change of the list.
      const woken = fleet.wake(agentId, server, new AbortController().signal).then(
        () => over.abort(),
        () => over.abort(),
      );
      const settled = Promise.race([woken, clock.sleep(firstLook, over.signal).catch(() => {})]);
      looks.set(key, { at: now, settled });
      return settled;
    },
    subscribe: governance.subscriptions.subscribe,
    recheckSubscriptions: governance.subscriptions.recheck,
    setLogLevel(agentId, level) {
      for (const { serverKey } of fleet.list(agentId)) {
        // A server that refuses a level sends what it likes; its messages are filtered all the same.
        fleet.setLogLevel(agentId, serverKey, level).catch(() => {});
      }
    },
    scopeOf: id => callers.scopeOf(id),
  };
}

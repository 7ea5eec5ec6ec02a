import type { Redeem } from '../../core/authorisation.ts';
import type { RandomId } from '../../core/ids.ts';
import type { Fleet } from '../../governance/dispatch/call.ts';
import type { Registry } from '../../governance/registry/registry.ts';
import { createToolSearch } from '../../governance/registry/tool-index.ts';
import type { Redactor } from '../../secrets/redact.ts';
import type { Callers, ClientCaller } from '../../store/callers.ts';
import { createManageServers, type ManageContext } from './manage-servers.ts';
import { managingTools } from './managing-tools.ts';
import { createOwnServer } from './own-server.ts';

/** Dependencies of the tools that manage servers. */
export interface ManagingDeps {
  readonly registry: Registry;
  readonly redeem: Redeem;
  readonly randomId: RandomId;
  readonly callers: Pick<Callers, 'list'>;
  readonly redactor: Pick<Redactor, 'text'>;
  /** What is made after dispatch, which calls through this. */
  ground(): ManageContext;
}

/** Searching, loading and unloading servers as tools of a server `longshore`, for clients whose tokens manage. */
export interface ManagingServer {
  /** The fleet as dispatch sees it: with that server in it. */
  among(fleet: Fleet): Fleet;
  /** Mounts the tools for the agent of a client that manages; whoever does not manage never sees them. */
  offer(client: ClientCaller): void;
  /** The same for all that have tokens already. */
  restore(): Promise<void>;
}

/** See `ManagingServer`. */
export function managingServer(needs: ManagingDeps): ManagingServer {
  const { registry, redeem, randomId, callers, redactor } = needs;
  const search = createToolSearch(registry);
  const run = createManageServers({ registry, callers, redactor, search, ground: () => needs.ground() });
  const own = createOwnServer({ registry, redeem, randomId, tools: managingTools, run });

  function offer({ agentId, scope, revokedAt }: ClientCaller): void {
    if (scope.manages && revokedAt === null) own.enable(agentId);
  }

  return {
    among: own.among,
    offer,
    async restore() {
      for (const client of await callers.list()) offer(client);
    },
  };
}

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/ports/log.ts';
import type { HostService } from '../host/host-service.ts';
import type { CortexApp } from './cortex-env.ts';
import { recentResults } from './recent-results.ts';
import { routeMaker } from './route-maker.ts';
import { agentRoutes } from './routes/agents.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { auditRoutes } from './routes/audit.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { commandsRoute } from './routes/commands.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { importRoutes } from './routes/imports.ts';
import { mcpLifecycleRoutes } from './routes/mcp-lifecycle.ts';
import { mcpServerRoutes } from './routes/mcp-servers.ts';
import { pageRoutes } from './routes/page.ts';
import { ruleRoutes } from './routes/rules.ts';
import { secretRoutes } from './routes/secrets.ts';
import { statusRoute } from './routes/status.ts';
import { ticketRoute } from './routes/tickets.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { toolRoutes } from './routes/tools.ts';
import { toolsCatalogRoute } from './routes/tools-catalog.ts';
import { invokeRoute } from './routes/tools-invoke.ts';
import type { Tickets } from './tickets.ts';

/** The routes on one home, for `createCortex`. A new route is a new file in routes/ and a line here. */
export function cortexRoutes(
  service: HostService,
  { clock, log, tickets }: { readonly clock: Clock; readonly log: Log; readonly tickets: Tickets },
): readonly ((app: CortexApp) => void)[] {
  const results = recentResults();
  const routes = (app: CortexApp): void => {
    const on = routeMaker(app, service);
    mcpServerRoutes(on);
    importRoutes(on);
    statusRoute(on);
    mcpLifecycleRoutes(on);
    commandsRoute(on, service, log);
    catalogRoutes(on);
    toolRoutes(on);
    toolsCatalogRoute(on);
    invokeRoute(on, clock, results);
    approvalRoutes(on, service, results);
    ruleRoutes(on);
    auditRoutes(on, app, service);
    agentRoutes(on, service);
    tokenRoutes(on, service);
    ticketRoute(on, service, tickets);
    secretRoutes(on, service);
    gatewayRoutes(on);
    pageRoutes(app);
  };
  return [routes];
}

import { type Clock, systemClock } from '../core/clock.ts';
import { randomId } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import { version } from '../core/version.ts';
import type { Host } from '../host/open-host.ts';
import { createMcpEndpoint } from '../mcp/endpoint.ts';
import type { EndpointSettings } from '../mcp/endpoint-context.ts';
import { followHost } from '../mcp/follow-host.ts';
import { operatorToken } from '../store/operator-token.ts';
import { createCortex } from './app.ts';
import { type Bind, localUrl } from './bind.ts';
import type { CortexApp } from './cortex-env.ts';
import { cortexRoutes } from './cortex-routes.ts';
import { hostCheck } from './host-check.ts';
import { cortexEvents } from './host-events.ts';
import { defaultLimits, rateLimit } from './limits.ts';
import { listen } from './listen.ts';
import { createMcpGate } from './mcp-gate.ts';
import { serviceRoutes } from './routes/service.ts';
import { createTickets } from './tickets.ts';

/** How a host is served. */
export interface ServeDeps {
  readonly host: Host;
  readonly bind: Bind;
  readonly log: Log;
  readonly clock?: Clock;
  /** How MCP clients are answered. */
  readonly mcp: EndpointSettings;
  /** Milliseconds for what runs when it stops. */
  readonly closeBudget: number;
  /** Asked to stop by a route: whoever serves calls `close` and ends. */
  onStopAsked(): void;
}

/** A host that is served. */
export interface Served {
  /** What people open. */
  readonly url: string;
  /** A one-time token that signs a page in, good for five minutes. */
  signInToken(): string;
  /** Accepts nothing more, stops every server, lets go of the home. Rejects like `host.dispose`. */
  close(): Promise<void>;
}

/** Serves a host: Cortex listens, and the home says where. Rejects with `bad-setting` or `cannot-record`. */
export async function serveHost(needs: ServeDeps): Promise<Served> {
  const { host, bind, log, clock = systemClock, closeBudget } = needs;
  const served = host.service();
  const { home, callers, announce, leftovers, redactor } = served;
  const startedAt = clock.now();
  const tickets = createTickets(clock);
  const token = operatorToken(home.operatorToken);
  let ready = false;
  let url = '';
  const cortex = createCortex(
    {
      clock,
      randomId,
      log,
      operatorToken: token,
      callers,
      allowedHosts: bind.allowedHosts,
      limits: defaultLimits,
      redactor,
      isReady: () => ready,
      onEvent: cortexEvents(served),
    },
    apiRoutes(),
  );

  function apiRoutes(): readonly ((app: CortexApp) => void)[] {
    const service = {
      async view() {
        const left = (await leftovers()).map(({ kind, serverKey, engineId, name, id, lastError }) => {
          return { kind, server: serverKey, id: engineId ?? name ?? id, error: lastError };
        });
        return { pid: process.pid, version, url, home: home.folder, startedAt, ready, leftovers: left };
      },
      // Its answer is written before anything ends.
      stop: () => void setImmediate(() => needs.onStopAsked()),
    };
    return [serviceRoutes(service), ...cortexRoutes(served, { clock, log, tickets })];
  }

  const checkHost = hostCheck(bind.allowedHosts);
  const endpoint = createMcpEndpoint({
    host: served.clients,
    settings: needs.mcp,
    clock,
    log,
    takeOne: rateLimit(defaultLimits.perClient, clock),
    sessionKey: token,
    url: () => url,
  });
  const door = createMcpGate({
    endpoint,
    checkHost,
    auth: cortex.auth,
    tickets,
    onGuess: cortex.onGuess,
    limits: defaultLimits,
    clock,
    log,
    defaultAgent: served.defaultAgent,
    clients: served.clients,
  });
  const unfollow = followHost(served, endpoint);
  const listening = await listen((request, bindings) => cortex.app.fetch(request, bindings), bind, log, door);
  url = listening.url;
  announce({ url: localUrl(bind, listening.port), ...(bind.tls && { certificate: bind.tls.cert }) });
  ready = true;
  log.info({ url, pid: process.pid }, 'The service is ready.');
  return {
    url,
    signInToken: () => cortex.signIns.issue(),
    async close() {
      ready = false;
      cortex.close();
      unfollow();
      const closed = listening.close(closeBudget);
      try {
        await endpoint.close();
        await host.dispose();
      } finally {
        await closed;
      }
      log.info({}, 'The service has stopped.');
    },
  };
}

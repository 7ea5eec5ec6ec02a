import { OpenAPIHono } from '@hono/zod-openapi';
import { LongshoreError } from '../core/errors.ts';
import { cut } from '../lib/cut.ts';
import { type AuthDeps, operatorOnly, signedIn } from './auth.ts';
import type { CortexDeps } from './cortex-deps.ts';
import type { CortexApp, CortexEnv } from './cortex-env.ts';
import { createEventFeed } from './event-feed.ts';
import { createEventStreams } from './event-stream.ts';
import { exactBody } from './exact-body.ts';
import { hostCheck } from './host-check.ts';
import { bodyLimit, guessLimit, requestLimits } from './limits.ts';
import { onError, problem, refuseInvalid } from './problem.ts';
import { eventsRoute } from './routes/events.ts';
import { healthRoute } from './routes/health.ts';
import { openApiRoute } from './routes/open-api.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { securityHeaders } from './security-headers.ts';
import { createSignIns, type SignIns } from './sign-ins.ts';

/** The HTTP face without its socket. */
export interface Cortex {
  readonly app: CortexApp;
  readonly signIns: SignIns;
  /** Who is who, for what does not go through the app. */
  readonly auth: AuthDeps;
  /** Told the address of a request without a good token. Throws `too-many-requests`. */
  readonly onGuess: (address: string) => void;
  /** How many event streams are open. */
  streams(): number;
  /** Ends what would keep the service from stopping: the event streams. */
  close(): void;
}

/** Paths under /api that need no token. */
const open: ReadonlySet<string> = new Set(['GET /api/health', 'HEAD /api/health', 'POST /api/sign-in']);
/** Bytes of a body that is read of somebody without a token: a sign-in link's own. */
const mostWithoutToken = 4_096;

/**
 * Cortex with its own routes and those of `routes`. A request passes, in this order: host and origin, token, rate,
 * size of its body, then its route, which checks its shape. /api is the operator's; /mcp has a door of its own (endpoint/).
 */
export function createCortex(needs: CortexDeps, routes: readonly ((app: CortexApp) => void)[] = []): Cortex {
  const { clock, limits } = needs;
  const signIns = createSignIns(clock);
  const feed = createEventFeed(needs.randomId());
  const stopListening = needs.onEvent(event => feed.publish(event));
  const streams = createEventStreams(feed, limits.streams);
  const onGuess = guessLimit(limits, clock);

  const app: CortexApp = new OpenAPIHono<CortexEnv>({ defaultHook: refuseInvalid() });
  app.onError(onError(needs.log, needs.redactor));
  app.notFound(context => problem(new LongshoreError('unknown-route', missing(context.req.method, context.req.path))));

  const auth = { operatorToken: needs.operatorToken, callers: needs.callers, signIns };
  const signedInOnly = signedIn(auth, onGuess);
  const operator = operatorOnly();
  const atItsPace = requestLimits(limits, clock);
  const checkHost = hostCheck(needs.allowedHosts);
  app.use(securityHeaders(), async (context, next) => {
    checkHost(context.req.header('host'), context.req.header('origin'));
    await next();
  });
  // A stranger's body is not read.
  app.use('/api/*', async (context, next) => {
    if (open.has(`${context.req.method} ${context.req.path}`)) return next();
    return signedInOnly(context, async () => {
      await operator(context, async () => {
        await atItsPace(context, next);
      });
    });
  });
  app.use('/api/*', async (context, next) => {
    const isOpen = open.has(`${context.req.method} ${context.req.path}`);
    return await bodyLimit(isOpen ? mostWithoutToken : limits.body)(context, next);
  });

  app.use('/api/tools/invoke', exactBody);

  healthRoute(app, () => needs.isReady());
  signInRoutes(app, signIns, onGuess);
  eventsRoute(app, streams);
  for (const route of routes) route(app);
  openApiRoute(app);

  return {
    app,
    signIns,
    auth,
    onGuess,
    streams: () => streams.count(),
    close() {
      stopListening();
      streams.close();
    },
  };
}

/** Clients that are refused a token look for a login; there is none, and they show their person what is said here. */
function missing(method: string, path: string): string {
  if (/^\/(?:register|authorize|token)$|^\/\.well-known\/(?:oauth|openid)-/.test(path)) {
    return 'Longshore has no login for MCP clients: a token is made with longshore token create NAME and sent as "Authorization: Bearer …".';
  }
  return `There is no ${method} ${cut(path, 200)} here. GET /api/openapi.json lists what there is.`;
}

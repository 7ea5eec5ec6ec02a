import { z } from '@hono/zod-openapi';
import { doneSchema, instant, type Json } from './json.ts';
import type { RouteTable } from './route.ts';

const health = z
  .object({
    name: z.literal('longshore'),
    version: z.string(),
    /** True once what was saved is restored, and until the service begins to stop. */
    ready: z.boolean(),
  })
  .openapi('Health');
export type Health = Json<typeof health>;

/** Something outside our process that should be gone. */
const leftover = z.object({
  kind: z.enum(['process', 'container', 'gateway']),
  server: z.string(),
  /** Container name or id, or process-group id. */
  id: z.string(),
  error: z.string().nullable(),
});
export type Leftover = Json<typeof leftover>;

const service = z
  .object({
    pid: z.int(),
    version: z.string(),
    url: z.string(),
    home: z.string(),
    startedAt: instant,
    ready: z.boolean(),
    /** What the ledger has of ended runs and could not remove, and what failed to be removed in this one. */
    leftovers: z.array(leftover),
  })
  .openapi('Service');
export type ServiceView = Json<typeof service>;

const link = z
  .object({
    /** Goes into the fragment of the page's address. */
    token: z.string(),
    expiresInSeconds: z.int(),
  })
  .openapi('SignInLink');
export type SignInLink = Json<typeof link>;

const session = z.object({ token: z.string(), idleSeconds: z.int() }).openapi('Session');

/** The running service itself, and signing in to its page. */
export const serviceRoutes = {
  'GET /api/health': {
    summary: 'Whether Longshore is there and ready; needs no token',
    answer: health,
    ofService: true,
    open: true,
  },
  'GET /api/service': {
    summary: 'The service itself: its process, home and address, and what of ended runs is left',
    answer: service,
    ofService: true,
  },
  'POST /api/service/stop': {
    summary: 'Stop the service and every server, gracefully; answers before it does',
    answer: doneSchema,
    status: 202,
    ofService: true,
  },
  'POST /api/sign-in': {
    summary: "Exchange a sign-in link's one-time token for a session's token; needs no other",
    body: z.object({ token: z.string().max(200) }).openapi('SignIn'),
    answer: session,
    ofService: true,
    open: true,
  },
  'POST /api/sign-in/links': {
    summary: 'Make a one-time token for a sign-in link',
    answer: link,
    status: 201,
    ofService: true,
  },
  'POST /api/sign-out': { summary: "End this page's session", answer: doneSchema, ofService: true },
} as const satisfies RouteTable;

import { z } from '@hono/zod-openapi';
import { diagnosticSchema, errorCodes, type Json, type JsonInput, maybe, wholeNumber } from './json.ts';
import type { RouteTable } from './route.ts';
import {
  deadlinesSchema,
  kindSchema,
  namedTool,
  protocolSchema,
  serverSchema,
  settingsSchema,
  transportSchema,
} from './servers.ts';

const ref = z.string().min(1).max(2_000);
const refBody = z.object({ ref }).openapi('Ref');
export type RefRequest = JsonInput<typeof refBody>;

/** An image, a saved server's name, or a catalog name. */
const loadBody = z
  .object({
    ref,
    env: maybe(z.record(z.string().regex(/^[^=\0]+$/), z.string())),
    /** Behind the image's name. */
    args: maybe(z.array(z.string())),
    /** Of an entry of a catalog: the values of its settings, by their keys. */
    values: maybe(z.record(z.string().min(1), z.string())),
    settings: maybe(settingsSchema),
    deadlines: maybe(deadlinesSchema),
    protocol: maybe(protocolSchema),
  })
  .openapi('Load');
export type LoadRequest = JsonInput<typeof loadBody>;

/** What `load` would start with the same body, or an MCPServerConfig under `config`. */
const explainBody = z.union([
  loadBody,
  z.object({ config: z.looseObject({ name: z.string(), settings: maybe(settingsSchema) }) }),
]);
export type ExplainRequest = JsonInput<typeof explainBody>;

const explained = z
  .object({
    server: z.string(),
    name: z.string(),
    kind: kindSchema,
    /** The effective command line, secrets masked; null for a remote server. */
    argv: z.array(z.string()).nullable(),
    cwd: z.string().nullable(),
    endpoint: z.string().nullable(),
    transport: z.union([transportSchema, z.literal('detected')]),
    /** Names of the variables and headers that it gets from its configuration, never values. */
    env: z.array(z.string()),
    headers: z.array(z.string()),
    /** What it may and may not reach, a sentence each. */
    isolation: z.array(z.string()),
    risks: z.array(diagnosticSchema),
    notes: z.array(diagnosticSchema),
  })
  .openapi('Explained');
export type ExplainAnswer = Json<typeof explained>;

/** `error` and `code` say what of it was not done; a failure as a whole is a problem document. */
const envelope = {
  status: z.enum(['ok', 'partial']),
  confirmation: z.string(),
  error: maybe(z.string()),
  code: maybe(z.enum(errorCodes)),
};

const loaded = z
  .object({
    ...envelope,
    data: z.object({
      server: z.string(),
      /** What `unload` takes for sure: the full id of an image's container, else the server key. */
      resource_id: z.string(),
      kind: kindSchema,
      /** Ids of its containers or process groups. */
      holdings: z.array(z.string()),
      image: z.string().nullable(),
      transport: transportSchema,
      protocol_version: z.string(),
      tools: z.array(namedTool),
      notes: z.array(diagnosticSchema),
    }),
  })
  .openapi('Loaded');
export type LoadAnswer = Json<typeof loaded>;

/** Each part by itself (R60). */
const unloaded = z
  .object({
    ...envelope,
    data: z.object({
      server: z.string(),
      saved_removed: z.union([z.boolean(), z.enum(['not_saved', 'failed'])]),
      process_removed: z.union([z.boolean(), z.enum(['not_running', 'failed'])]),
      handles_withdrawn: z.int(),
    }),
  })
  .openapi('Unloaded');
export type UnloadAnswer = Json<typeof unloaded>;

/**
 * The last lines that a server wrote to stderr, oldest first. `next` is the number of the line that comes next: with
 * `?after=` only lines from there on are given, so that a follower asks again.
 */
const logs = z.object({ server: z.string(), lines: z.array(z.string()), next: z.int() }).openapi('Logs');
export type LogsAnswer = Json<typeof logs>;

/** Requested and observed apart: that a tool is there proves nothing about any one server (R76). */
const gateway = z.object({
  requested_servers: z.array(z.string()),
  observed_tools: z.array(z.string()),
  /** Those requested that the gateway does not serve, each with its own reason. */
  not_in_effect: z.array(z.object({ name: z.string(), why: z.string() })),
});

const gatewayStarted = z.object({ ...envelope, data: gateway }).openapi('GatewayStarted');
export type GatewayStartAnswer = Json<typeof gatewayStarted>;

const gatewayStopped = z.object({ ...envelope, data: z.object({ was_there: z.boolean() }) }).openapi('GatewayStopped');
export type GatewayStopAnswer = Json<typeof gatewayStopped>;

/** Everything that runs, starts, closes, failed or is only saved, without Docker too (R33). */
const status = z
  .object({
    docker: z.object({ state: z.enum(['available', 'unavailable', 'unknown']), sentence: z.string() }),
    /** What this process requested of the Docker MCP Gateway and observed (R76); null if it was not started. */
    gateway: gateway.nullable(),
    servers: z.array(serverSchema),
    /** Saved by an older version and never started (R59). */
    legacy: z.array(z.object({ name: z.string(), image: z.string().nullable(), sentence: z.string() })),
  })
  .openapi('Status');
export type StatusAnswer = Json<typeof status>;

const anew = 'Stop a server and start it anew, whatever kept it from starting';

/** Starting and ending servers, explaining what a start would be, and what they write to stderr. */
export const lifecycleRoutes = {
  'GET /api/mcp/status': {
    summary: 'Docker, the gateway, every server, and what an older version saved',
    answer: status,
  },
  'POST /api/mcp/load': {
    summary: 'Start a server and save it once it runs',
    body: loadBody,
    refusal: 'bad-config',
    answer: loaded,
  },
  'POST /api/mcp/reload': { summary: anew, body: refBody, answer: loaded },
  'POST /api/mcp/restart': { summary: anew, body: refBody, answer: loaded },
  'POST /api/mcp/unload': {
    summary: 'End a server; what is saved of an image goes, a config stays saved',
    body: refBody,
    answer: unloaded,
  },
  'POST /api/mcp/gateway/start': {
    summary: 'Start the Docker MCP Gateway with exactly these servers of the catalogs',
    body: z.object({ servers: z.array(ref).min(1).max(200) }).openapi('GatewayStart'),
    answer: gatewayStarted,
  },
  'POST /api/mcp/gateway/stop': {
    summary: 'Stop the Docker MCP Gateway and forget its servers',
    answer: gatewayStopped,
  },
  'POST /api/mcp/explain': {
    summary: 'What load would start with the same body, or what a config would; runs nothing',
    body: explainBody,
    refusal: 'bad-config',
    answer: explained,
  },
  'GET /api/servers/:ref/logs': {
    summary: 'The last lines that a server wrote to stderr; with after, only those from that number on',
    params: z.object({ ref }),
    query: z.object({ tail: wholeNumber(0, 10_000).optional(), after: wholeNumber(0).optional() }),
    answer: logs,
  },
} as const satisfies RouteTable;

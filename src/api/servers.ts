import { z } from '@hono/zod-openapi';
import { defaultDeadlines } from '../core/deadlines.ts';
import { legacyVersions, modernVersions } from '../core/protocol-versions.ts';
import type { HealthState } from '../core/server-health.ts';
import type { ServerKind, TransportName } from '../core/words.ts';
import { diagnosticSchema, errorCodes, type Json, type JsonInput, jsonObject, maybe } from './json.ts';
import type { RouteTable } from './route.ts';

export const kindSchema = z.enum([
  'process',
  'docker-run',
  'docker-image',
  'remote',
  'gateway',
] as const satisfies readonly ServerKind[]);
export const transportSchema = z.enum(['stdio', 'streamable-http', 'sse'] as const satisfies readonly TransportName[]);

/** What belongs to how we run a server, beside its config. */
export const settingsSchema = z
  .strictObject({
    /** Flags that weaken a container's isolation may be used. */
    allowUnsafe: maybe(z.boolean()),
    /** Secrets may stand in the command line. */
    allowSecretArguments: maybe(z.boolean()),
    container: maybe(
      z.strictObject({
        network: maybe(z.enum(['bridge', 'none'])),
        /** `source:target` or `source:target:ro`, absolute; a source without a slash is a named volume. */
        mounts: maybe(z.array(z.string().min(1).max(4_096)).max(100)),
        /** `uid`, `uid:gid` or a name that the image knows. */
        user: maybe(z.string().min(1).max(100)),
        memory: maybe(z.string().regex(/^\d+[bkmg]?$/i, 'must be a size such as 512m')),
        cpus: maybe(z.number().positive().max(4_096)),
        pids: maybe(z.int().positive().max(4_194_304)),
      }),
    ),
  })
  .openapi('ServerSettings');
export type ServerSettings = Json<typeof settingsSchema>;

const deadline = z.number().positive().max(2_147_483_647);

/** A server's own deadlines, in milliseconds. */
export const deadlinesSchema = z
  .strictObject(
    Object.fromEntries(Object.keys(defaultDeadlines).map(name => [name, maybe(deadline)])) as Record<
      keyof typeof defaultDeadlines,
      z.ZodExactOptional<typeof deadline>
    >,
  )
  .openapi('Deadlines');

/** The revision to speak with a server, or `auto`. */
export const protocolSchema = z.enum(['auto', ...modernVersions, ...legacyVersions]);

/**
 * An MCPServerConfig (`url` counts as `endpoint`), with our settings beside it. Its fields are checked by the one reader
 * of configs, which names each that is wrong.
 */
const serverConfig = z.looseObject({ name: z.string(), settings: maybe(settingsSchema) }).openapi('ServerConfig', {
  properties: {
    name: { type: 'string' },
    command: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    cwd: { type: 'string' },
    endpoint: { type: 'string' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    transport: { type: 'string', enum: ['stdio', 'streamable-http', 'sse'] },
    protocol: { type: 'string', enum: [...protocolSchema.options] },
    envFile: { type: 'string' },
    allowedTools: { type: 'array', items: { type: 'string' } },
    deniedTools: { type: 'array', items: { type: 'string' } },
    description: { type: 'string' },
    settings: { $ref: '#/components/schemas/ServerSettings' },
  },
});
export type AddServerRequest = JsonInput<typeof serverConfig>;

const notes = z.array(diagnosticSchema);

const added = z
  .object({
    serverId: z.string(),
    name: z.string(),
    /** Its server key. */
    server: z.string(),
    /** What is odd about the configuration, and where its secrets were put. */
    notes,
  })
  .openapi('AddedServer');
export type AddServerAnswer = Json<typeof added>;

/** The whole config anew, in which a masked value (`{ set: true }`) keeps what is stored; or `enabled` alone. */
const serverChange = z
  .looseObject({ name: maybe(z.string()), settings: maybe(settingsSchema), enabled: maybe(z.boolean()) })
  .openapi('ServerChange');
export type PatchServerRequest = JsonInput<typeof serverChange>;

const changed = z.object({ ok: z.literal(true), name: z.string(), notes }).openapi('ChangedServer');
export type PatchServerAnswer = Json<typeof changed>;

/** After the awaited cleanup; 502 `close-failed` leaves the row (R4, R60). */
const removed = z
  .object({
    ok: z.literal(true),
    name: z.string(),
    process_removed: z.union([z.literal(true), z.literal('not_running')]),
    handles_withdrawn: z.int(),
  })
  .openapi('RemovedServer');
export type RemoveServerAnswer = Json<typeof removed>;

/** `toolName` is the server's own name of it. */
const toolName = z.object({ toolName: z.string(), description: maybe(z.string()) });
export type ToolName = Json<typeof toolName>;

/** A tool of a server, mounted or only remembered. */
export const namedTool = toolName.extend({ handleName: z.string() });
const costedTool = namedTool.extend({
  /** About how many tokens it takes of a model's context while it is listed: bytes of name, title, description and input schema / 4. */
  tokenCost: z.int(),
});
export type NamedTool = Json<typeof costedTool>;

const refreshed = z.object({ ok: z.literal(true), tools: z.array(toolName) }).openapi('RefreshedTools');
export type RefreshToolsAnswer = Json<typeof refreshed>;

const importBody = z
  .object({
    /** A text in one of the accepted shapes (R21). */
    json: z.string(),
    dryRun: z.boolean().default(false),
  })
  .openapi('Import');
export type ImportRequest = JsonInput<typeof importBody>;

/** In a dry run nothing was done, and `serverId` is null for what would be created. */
const importedServer = z.object({ serverId: z.string().nullable(), name: z.string(), notes });
export type ImportedServer = Json<typeof importedServer>;

/** One transaction (R22). */
const imported = z
  .object({
    ok: z.literal(true),
    /** created + updated. */
    count: z.int(),
    created: z.array(importedServer),
    updated: z.array(importedServer),
    skipped: z.array(z.object({ index: maybe(z.int()), key: maybe(z.string()), reason: z.string() })),
  })
  .openapi('Imported');
export type ImportAnswer = Json<typeof imported>;

const healthState = z.enum([
  'stopped',
  'unloaded',
  'starting',
  'connected',
  'degraded',
  'needs-login',
  'needs-secret',
  'needs-approval',
  'restarting',
  'crash-loop',
  'unreachable',
  'failed',
  'stopping',
  'close-failed',
  'disabled',
] as const satisfies readonly HealthState[]);

/** One server, live or not: an entry of GET /api/mcp-servers (saved ones, by name) and of GET /api/mcp/status (all). */
export const serverSchema = z
  .object({
    /** Null for one that is loaded and not saved. */
    serverId: z.string().nullable(),
    /** The server key. */
    server: z.string(),
    name: z.string(),
    kind: kindSchema,
    /** Values of env and headers are masked: `{ set: true }`. */
    config: jsonObject,
    image: z.string().nullable(),
    enabled: z.boolean(),
    state: healthState,
    /** The one sentence and the one action of its state. */
    sentence: z.string(),
    action: z.object({ label: z.string(), command: maybe(z.string()) }),
    needsAttention: z.boolean(),
    lastError: z.object({ code: z.enum(errorCodes), message: z.string() }).nullable(),
    transport: transportSchema.nullable(),
    protocol_version: z.string().nullable(),
    /** Why it is that revision, where it is not simply the newest that both speak. */
    protocol_reason: z.string().nullable(),
    /** Ids of its containers or process groups. */
    holdings: z.array(z.string()),
    tools: z.array(costedTool),
    /** Of all its tools together. */
    tokenCost: z.int(),
    diagnostics: z.array(diagnosticSchema),
  })
  .openapi('Server');
export type ServerView = Json<typeof serverSchema>;

const byRef = z.object({ ref: z.string().min(1).max(300) });

/** The saved servers (D1): `:ref` is a server id, a server key or a saved name. */
export const serverRoutes = {
  'GET /api/mcp-servers': { summary: 'The saved servers by name', answer: z.array(serverSchema) },
  'POST /api/mcp-servers': {
    summary: 'Save a server; it is not started by this',
    body: serverConfig,
    refusal: 'bad-config',
    answer: added,
    status: 201,
  },
  'PATCH /api/mcp-servers/:ref': {
    summary:
      'Change a saved server: with its name the whole config anew, without it single fields; { set: true } keeps a value',
    params: byRef,
    body: serverChange,
    refusal: 'bad-config',
    answer: changed,
  },
  'DELETE /api/mcp-servers/:ref': {
    summary: 'End a saved server and then forget it; 502 keeps it',
    params: byRef,
    answer: removed,
  },
  'POST /api/mcp-servers/:ref/refresh-tools': {
    summary: 'List the tools of a saved server on a connection of its own; the live one is not disturbed',
    params: byRef,
    answer: refreshed,
  },
  'POST /api/mcp-servers/import-json': {
    summary: 'Save every server of a pasted text, in one transaction',
    body: importBody,
    answer: imported,
  },
} as const satisfies RouteTable;

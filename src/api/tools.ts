import { z } from '@hono/zod-openapi';
import { isJsonObject } from '../core/json.ts';
import type { Definition } from '../core/words.ts';
import { approvalSchema } from './approvals.ts';
import {
  diagnosticSchema,
  instant,
  type Json,
  type JsonInput,
  jsonObject,
  maybe,
  milliseconds,
  rawResult,
} from './json.ts';
import type { RouteTable } from './route.ts';

const definition = z
  .custom<Definition>(value => isJsonObject(value) && typeof value['name'] === 'string', 'must be a tool')
  .openapi('ToolDefinition', {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: true,
  });

const tool = z
  .object({
    /** The handle's name. */
    name: z.string(),
    /** Server key. */
    server: z.string(),
    /** The server's own name of it. */
    tool: z.string(),
    /** What `invoke` takes: `mcp:<serverId>:<URL-encoded tool>`, or the handle's name where the server is not saved. */
    toolId: z.string(),
    /** Verbatim: name, title, description, inputSchema, outputSchema, annotations … */
    definition,
    /** About how many tokens it takes of a model's context while it is listed: bytes of name, title, description and input schema / 4. */
    tokenCost: z.int(),
    protocol_version: z.string(),
  })
  .openapi('Tool');
export type ToolView = Json<typeof tool>;
export type ToolsAnswer = readonly ToolView[];

/** D1's entry of a tool for a form. */
const catalogTool = z
  .object({
    /** A ToolView's `toolId`. */
    id: z.string(),
    kind: z.literal('mcp'),
    /** The handle's name. */
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    /** The top level of its input schema. */
    parameters: z.array(
      z.object({ name: z.string(), type: z.string(), required: z.boolean(), description: maybe(z.string()) }),
    ),
    /** A ToolView's `tokenCost`. */
    tokenCost: z.int(),
    executable: z.boolean(),
    executableHint: maybe(z.string()),
    serverId: z.string().nullable(),
    serverName: z.string(),
    /** Of the last 20,000 rows of the record; null where there is nothing to tell. */
    metrics: z.object({
      callCount: z.int(),
      successRatePct: z.number().nullable(),
      avgDurationMs: z.number().nullable(),
      lastUsedAt: instant.nullable(),
    }),
  })
  .openapi('CatalogTool');
export type CatalogTool = Json<typeof catalogTool>;
export type ToolsCatalogAnswer = readonly CatalogTool[];

const invoke = z
  .object({
    /** A ToolView's `toolId`, or a handle's name. */
    toolId: z.string().min(1).max(2_000),
    arguments: maybe(jsonObject),
    /** Milliseconds to wait for a decision before the answer is 202; 0 if not said. */
    patience: milliseconds.default(0),
    /** Milliseconds without progress, and in all; waiting for a decision counts in neither. */
    idleTimeout: maybe(milliseconds.min(1)),
    totalTimeout: maybe(milliseconds.min(1)),
  })
  .openapi('Invoke');
export type InvokeRequest = JsonInput<typeof invoke>;

/** 200: it ran. `success` is false where the tool itself says that it failed (`isError`). */
const invoked = z
  .object({
    ok: z.literal(true),
    /** The handle's name. */
    toolName: z.string(),
    success: z.boolean(),
    /** Verbatim. */
    result: rawResult,
    executionTimeMs: z.number(),
    warnings: z.array(diagnosticSchema),
    dispatchId: z.string(),
  })
  .openapi('Invoked');
export type InvokeAnswer = Json<typeof invoked>;

/** 202: it waits for the operator. Once it is approved the same request runs. */
const pending = z.object({ approvalId: z.string(), approval: approvalSchema }).openapi('InvokePending');
export type InvokePending = Json<typeof pending>;

const ref = z.string().min(1).max(300);

/**
 * The tools that can be called. `?server=REF`: those of one server; `?tool=NAME`: the one that is meant by a handle name,
 * or by `server.tool` with the longest known server key before a dot. With either, a server whose tools were never seen is
 * started to see them; without, nothing is started. Fails with `unknown-server` or `unknown-tool`, naming the nearest.
 */
export const toolRoutes = {
  'GET /api/tools': {
    summary: 'Every tool that can be called; with server or tool, a server whose tools were never seen is started',
    query: z.object({ server: ref.optional(), tool: ref.optional() }),
    answer: z.array(tool),
  },
  'GET /api/tools/catalog': {
    summary: 'The tools with their parameters and how they were used lately',
    answer: z.array(catalogTool),
  },
  'POST /api/tools/invoke': {
    summary: 'Call a tool through governed dispatch; 202 with the approval while one waits',
    body: invoke,
    answer: z.union([invoked, pending]),
    status: (answer: object) => ('approvalId' in answer ? 202 : 200),
  },
} as const satisfies RouteTable;

import { z } from '@hono/zod-openapi';
import type {
  AddServerAnswer,
  ImportAnswer,
  PatchServerAnswer,
  RefreshToolsAnswer,
  RemoveServerAnswer,
} from '../../client/api-types.ts';
import type { MCPServerConfig } from '../../config/types.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Operator } from '../../host/operator.ts';
import type { ImportedServer } from '../../servers/import-servers.ts';
import type { ListedSaved } from '../../servers/list-saved.ts';
import type { AddRoute } from '../route-maker.ts';
import { diagnosticSchema, maybe } from '../views/common.ts';
import { serverSchema, serverView, toolNameSchema } from '../views/server.ts';
import { settingsSchema } from '../views/settings.ts';

const byRef = z.object({ ref: z.string().min(1).max(300) });
const notes = z.array(diagnosticSchema);

/** The fields of a config are checked by the one reader of configs, which names each that is wrong. */
const configBody = z.looseObject({ name: z.string(), settings: maybe(settingsSchema) }).openapi('ServerConfig', {
  properties: {
    name: { type: 'string' },
    command: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    cwd: { type: 'string' },
    endpoint: { type: 'string' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    transport: { type: 'string', enum: ['stdio', 'streamable-http', 'sse'] },
    settings: { $ref: '#/components/schemas/ServerSettings' },
  },
});

const patchBody = z
  .looseObject({
    name: maybe(z.string()),
    settings: maybe(settingsSchema),
    enabled: maybe(z.boolean()),
  })
  .openapi('ServerChange');

const added = z
  .object({ serverId: z.string(), name: z.string(), server: z.string(), notes })
  .openapi('AddedServer') satisfies z.ZodType<AddServerAnswer>;

const patched = z
  .object({ ok: z.literal(true), name: z.string(), notes })
  .openapi('ChangedServer') satisfies z.ZodType<PatchServerAnswer>;

const removed = z
  .object({
    ok: z.literal(true),
    name: z.string(),
    process_removed: z.union([z.literal(true), z.literal('not_running')]),
    handles_withdrawn: z.int(),
  })
  .openapi('RemovedServer') satisfies z.ZodType<RemoveServerAnswer>;

const refreshed = z
  .object({ ok: z.literal(true), tools: z.array(toolNameSchema) })
  .openapi('RefreshedTools') satisfies z.ZodType<RefreshToolsAnswer>;

const importedServer = z.object({ serverId: z.string().nullable(), name: z.string(), notes });

const imported = z
  .object({
    ok: z.literal(true),
    count: z.int(),
    created: z.array(importedServer),
    updated: z.array(importedServer),
    skipped: z.array(z.object({ index: maybe(z.int()), key: maybe(z.string()), reason: z.string() })),
  })
  .openapi('Imported') satisfies z.ZodType<ImportAnswer>;

/** The saved servers: list, add, change, remove, list anew, import (D1). */
export function mcpServerRoutes(on: AddRoute): void {
  on(
    'GET /api/mcp-servers',
    { summary: 'The saved servers by name', answer: z.array(serverSchema) },
    async ({ operator }) =>
      (await (await operator()).servers()).filter(({ serverId }) => serverId !== null).map(serverView),
  );
  on(
    'POST /api/mcp-servers',
    {
      summary: 'Save a server; it is not started by this',
      body: configBody,
      refusal: 'bad-config',
      answer: added,
      status: 201,
    },
    async ({ operator, body }) => {
      const { settings, ...config } = body;
      return await (await operator()).saved.add(config as unknown as MCPServerConfig, settings);
    },
  );
  on(
    'PATCH /api/mcp-servers/:ref',
    {
      summary:
        'Change a saved server: with its name the whole config anew, without it single fields; { set: true } keeps a value',
      params: byRef,
      body: patchBody,
      refusal: 'bad-config',
      answer: patched,
    },
    async ({ operator, params: { ref }, body }) => await patch(await operator(), ref, body),
  );
  on(
    'DELETE /api/mcp-servers/:ref',
    { summary: 'End a saved server and then forget it; 502 keeps it', params: byRef, answer: removed },
    async ({ operator, params: { ref } }) => await remove(await operator(), ref),
  );
  on(
    'POST /api/mcp-servers/:ref/refresh-tools',
    {
      summary: 'List the tools of a saved server on a connection of its own; the live one is not disturbed',
      params: byRef,
      answer: refreshed,
    },
    async ({ operator, params: { ref }, signal }) => {
      const { tools } = await (await operator()).saved.refreshTools(ref, { signal });
      return {
        ok: true,
        tools: tools.map(({ name, description }) => ({
          toolName: name,
          ...(typeof description === 'string' && { description }),
        })),
      };
    },
  );
  on(
    'POST /api/mcp-servers/import-json',
    {
      summary: 'Save every server of a pasted text, in one transaction',
      body: z.object({ json: z.string(), dryRun: z.boolean().default(false) }).openapi('Import'),
      answer: imported,
    },
    async ({ operator, body: { json, dryRun } }) => {
      const { created, updated, skipped } = await (await operator()).saved.importJson(json, { dryRun });
      const count = created.length + updated.length;
      return { ok: true, count, created: created.map(importedView), updated: updated.map(importedView), skipped };
    },
  );
}

async function patch({ saved }: Operator, ref: string, body: z.output<typeof patchBody>): Promise<PatchServerAnswer> {
  const { enabled, settings, ...config } = body;
  const row = await rowOf(saved, ref);
  const { name, ...fields } = config;
  // An image is its own name, which a client that gives the whole config anew gives back.
  const change = (row?.mode === 'container' ? fields : config) as JsonObject;
  let changed: { readonly name: string; readonly notes?: PatchServerAnswer['notes'] } | undefined;
  if (settings !== undefined || Object.keys(config).length > 0) {
    changed = await saved.change(row?.serverId ?? ref, change, { ...settings, whole: name !== undefined });
  }
  const notes = changed?.notes ?? [];
  const target = row?.serverId ?? ref;
  if (enabled !== undefined) changed = await (enabled ? saved.enable(target) : saved.disable(target));
  if (changed) return { ok: true, name: changed.name, notes };
  throw new LongshoreError('bad-config', 'The body changes nothing. Give the config anew, or enabled.');
}

async function remove({ saved }: Operator, ref: string): Promise<RemoveServerAnswer> {
  const name = (await rowOf(saved, ref))?.name ?? ref;
  const outcome = await saved.remove(ref);
  if (outcome.error) throw outcome.error;
  return { ok: true, name, process_removed: outcome.process_removed, handles_withdrawn: outcome.handles_withdrawn };
}

async function rowOf(saved: Operator['saved'], ref: string): Promise<ListedSaved | undefined> {
  const rows = await saved.list();
  const names = (row: ListedSaved) => [row.serverId, row.name, row.server, row.image];
  return rows.find(row => names(row).slice(0, 2).includes(ref)) ?? rows.find(row => names(row).includes(ref));
}

function importedView({ serverId, name, notes: odd }: ImportedServer): ImportAnswer['created'][number] {
  return { serverId: serverId ?? null, name, notes: odd };
}

import type { ImportAnswer, PatchServerAnswer, RemoveServerAnswer } from '../../api/servers.ts';
import type { MCPServerConfig } from '../../config/types.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Operator } from '../../host/operator.ts';
import type { ImportedServer } from '../../servers/import-servers.ts';
import type { AddRoute, Asked } from '../route-maker.ts';
import { serverView } from '../views/server.ts';

/** The saved servers: list, add, change, remove, list anew, import (D1). */
export function mcpServerRoutes(on: AddRoute): void {
  on('GET /api/mcp-servers', async ({ operator }) =>
    (await (await operator()).servers()).filter(({ serverId }) => serverId !== null).map(serverView),
  );
  on('POST /api/mcp-servers', async ({ operator, body }) => {
    const { settings, ...config } = body;
    return await (await operator()).saved.add(config as unknown as MCPServerConfig, settings);
  });
  on(
    'PATCH /api/mcp-servers/:ref',
    async ({ operator, params: { ref }, body }) => await patch(await operator(), ref, body),
  );
  on('DELETE /api/mcp-servers/:ref', async ({ operator, params: { ref } }) => await remove(await operator(), ref));
  on('POST /api/mcp-servers/:ref/refresh-tools', async ({ operator, params: { ref }, signal }) => {
    const { tools } = await (await operator()).saved.refreshTools(ref, { signal });
    return {
      ok: true,
      tools: tools.map(({ name, description }) => ({
        toolName: name,
        ...(typeof description === 'string' && { description }),
      })),
    };
  });
  on('POST /api/mcp-servers/import-json', async ({ operator, body: { json, dryRun } }) => {
    const { created, updated, skipped } = await (await operator()).saved.importJson(json, { dryRun });
    const count = created.length + updated.length;
    return { ok: true, count, created: created.map(importedView), updated: updated.map(importedView), skipped };
  });
}

async function patch(
  { saved }: Operator,
  ref: string,
  body: Asked<'PATCH /api/mcp-servers/:ref'>['body'],
): Promise<PatchServerAnswer> {
  const { enabled, settings, ...config } = body;
  const { serverId, mode } = await saved.find(ref);
  const { name, ...fields } = config;
  // An image is its own name, which a client that gives the whole config anew gives back.
  const change = (mode === 'container' ? fields : config) as JsonObject;
  let changed: { readonly name: string; readonly notes?: PatchServerAnswer['notes'] } | undefined;
  if (settings !== undefined || Object.keys(config).length > 0) {
    changed = await saved.change(serverId, change, { ...settings, whole: name !== undefined });
  }
  const notes = changed?.notes ?? [];
  if (enabled !== undefined) changed = await (enabled ? saved.enable(serverId) : saved.disable(serverId));
  if (changed) return { ok: true, name: changed.name, notes };
  throw new LongshoreError('bad-config', 'The body changes nothing. Give the config anew, or enabled.');
}

async function remove({ saved }: Operator, ref: string): Promise<RemoveServerAnswer> {
  const { serverId, name } = await saved.find(ref);
  const outcome = await saved.remove(serverId);
  if (outcome.error) throw outcome.error;
  return { ok: true, name, process_removed: outcome.process_removed, handles_withdrawn: outcome.handles_withdrawn };
}

function importedView({ serverId, name, notes: odd }: ImportedServer): ImportAnswer['created'][number] {
  return { serverId: serverId ?? null, name, notes: odd };
}

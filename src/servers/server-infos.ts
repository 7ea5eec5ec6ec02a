import { LongshoreError } from '../core/errors.ts';
import type { AgentId, HandleName, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { protocolReason } from '../core/older-era.ts';
import type { Holding } from '../core/ports/ledger.ts';
import type { SavedLife } from '../core/server-life.ts';
import type { Definition, ServerKind } from '../core/words.ts';
import { imageServerId } from '../docker/image-reference.ts';
import { handleName } from '../governance/registry/handle-names.ts';
import { tokenCost } from '../governance/registry/token-cost.ts';
import { maskTexts } from '../secrets/mask-texts.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { SavedServer } from '../store/servers.ts';
import { shownConfig } from './config-change.ts';
import { holdingId } from './holding-ids.ts';
import type { ManagedServer } from './managed-server.ts';
import { planIfSound, type SavedBook } from './saved-book.ts';
import { configOf, isLegacy, legacyError } from './saved-plan.ts';
import { serverHealthOf } from './server-health-of.ts';
import type { ServerInfo, ServerInfoState, ToolInfo } from './server-info.ts';

/** One server as it is saved, as it is loaded, or both. */
type Known =
  | { readonly row: SavedServer; readonly server: ManagedServer | undefined }
  | { readonly row: undefined; readonly server: ManagedServer };

/** Every server of an agent: those in the fleet in the order of their loads, then those only saved, by name. */
export async function serverInfos(book: SavedBook, agentId: AgentId): Promise<readonly ServerInfo[]> {
  const { fleet, ledger } = book.needs;
  const [rows, holdings] = await Promise.all([book.rows(agentId), ledger.list({ agentId })]);
  const servers = fleet.list(agentId);
  const known: readonly Known[] = [
    ...servers.map(server => ({ row: rows.find(row => row.serverKey === server.serverKey), server })),
    ...rows
      .filter(row => !servers.some(server => server.serverKey === row.serverKey))
      .map(row => ({ row, server: undefined })),
  ];
  return await Promise.all(known.map(one => infoOf(book, one, holdings)));
}

/** The saved ones of them, by name. */
export async function savedInfos(book: SavedBook, agentId: AgentId): Promise<readonly ServerInfo[]> {
  return byName((await serverInfos(book, agentId)).filter(info => info.saved));
}

/** One server by its key. Throws `unknown-server`. */
export async function serverInfo(book: SavedBook, agentId: AgentId, key: ServerKey): Promise<ServerInfo> {
  const found = (await serverInfos(book, agentId)).find(info => info.server === key);
  if (found) return found;
  throw new LongshoreError('unknown-server', `There is no server ${JSON.stringify(key)} any more.`);
}

/** By what a person calls them. */
export function byName(infos: readonly ServerInfo[]): readonly ServerInfo[] {
  return [...infos].sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function infoOf(book: SavedBook, one: Known, holdings: readonly Holding[]): Promise<ServerInfo> {
  const { row, server } = one;
  const { registry, cache, redactor } = book.needs;
  const { agentId, serverKey } = row ?? one.server;
  const { state, life } = row ? savedLife(book, row) : { state: one.server.state.name, life: one.server.state };
  const enabled = row?.enabled ?? true;
  const mounted = registry.list(agentId, { ownerKey: serverKey, kind: 'tool' });
  const last = row && mounted.length === 0 ? await cache.last(row.serverId).catch(() => undefined) : undefined;
  const image = row ? row.image : (server?.planned.image ?? null);
  const error = 'error' in life ? life.error : undefined;
  const remembered = last?.discovery.tools ?? [];
  return {
    serverId: row?.serverId ?? null,
    saved: row !== undefined,
    server: serverKey,
    resourceId: resourceIdOf(one, image),
    name: image ?? row?.name ?? server?.planned.name ?? serverKey,
    kind: row ? savedKind(row) : one.server.planned.kind,
    mode: row?.mode ?? null,
    // What is saved holds no secret in clear, and whoever changes it gives it back as it was shown.
    config: row
      ? shownConfig(configOf(row))
      : maskTexts(shownConfig(one.server.planned.config as unknown as JsonObject), redactor),
    image,
    enabled,
    state,
    health: serverHealthOf({ agentId, serverKey, enabled, life, member: server }, book.needs),
    error: error && new LongshoreError(error.code, redactor.text(error.message)),
    transport: server?.connection?.transport ?? null,
    protocol_version:
      server?.connection?.protocolVersion ?? mounted[0]?.protocolVersion ?? last?.protocolVersion ?? null,
    protocolReason: (server && protocolReason(server.planned.config.protocol, server.lastSaid?.olderEra)) ?? null,
    holdings: holdings.filter(holding => holding.serverKey === serverKey).map(holdingId),
    tools: [
      ...mounted.map(handle => toolInfo(handle.handleName, handle.definition, true, redactor)),
      ...remembered.map(tool => toolInfo(handleName(serverKey, tool.name), tool, false, redactor)),
    ],
    diagnostics: (server?.diagnostics() ?? []).map(note => ({ ...note, message: redactor.text(note.message) })),
    actor: row?.actor ?? null,
    createdAt: row?.createdAt ?? null,
    updatedAt: row?.updatedAt ?? null,
  };
}

function resourceIdOf({ row, server }: Known, image: string | null): string {
  if (row) return row.image === null ? row.serverKey : row.name;
  return image === null ? server.serverKey : imageServerId(server.agentId, image);
}

function savedLife(book: SavedBook, row: SavedServer): { readonly state: ServerInfoState; readonly life: SavedLife } {
  if (isLegacy(row)) return { state: 'legacy', life: { name: 'failed', error: legacyError(row) } };
  const server = book.needs.fleet.server(row.agentId, row.serverKey);
  if (server) return { state: server.state.name, life: server.state };
  if (!row.enabled) return { state: 'disabled', life: { name: 'stopped' } };
  const error = book.fault(row.serverId);
  return error
    ? { state: 'restore-failed', life: { name: 'failed', error } }
    : { state: 'unloaded', life: { name: 'unloaded' } };
}

/** The kind of a row's server; of a damaged one, what its mode tells. */
function savedKind(row: SavedServer): ServerKind {
  return planIfSound(row)?.kind ?? (row.mode === 'container' ? 'docker-image' : 'process');
}

function toolInfo(
  name: HandleName,
  definition: Definition,
  mounted: boolean,
  redactor: Pick<Redactor, 'text'>,
): ToolInfo {
  const { name: toolName, description } = definition;
  const tool = { handleName: name, toolName, tokenCost: tokenCost(definition), mounted };
  return typeof description === 'string' ? { ...tool, description: redactor.text(description) } : tool;
}

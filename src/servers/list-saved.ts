import type { LongshoreError } from '../core/errors.ts';
import type { AgentId, HandleName, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { SavedLife } from '../core/server-life.ts';
import type { Definition, Diagnostic, ServerKind, TransportName } from '../core/words.ts';
import { handleName } from '../governance/registry/handle-names.ts';
import { tokenCost } from '../governance/registry/token-cost.ts';
import type { SavedMode, SavedServer } from '../store/servers.ts';
import { shownConfig } from './config-change.ts';
import { planIfSound, type SavedBook } from './saved-book.ts';
import { configOf, isLegacy, legacyError } from './saved-plan.ts';

/** Where a saved server is; what the fleet does not have has words of its own. */
export type SavedState = SavedLife['name'] | 'disabled' | 'legacy' | 'restore-failed';

/** A tool of a saved server, mounted or only remembered. */
export interface SavedTool {
  /** Its name among the agent's tools. */
  readonly handleName: HandleName;
  /** The name that the server itself uses. */
  readonly toolName: string;
  readonly description?: string;
  /** See `tokenCost`. */
  readonly tokenCost: number;
}

/** A saved server with what is known of it now. */
export interface ListedSaved {
  readonly serverId: string;
  readonly name: string;
  readonly server: ServerKey;
  readonly mode: SavedMode;
  readonly kind: ServerKind;
  readonly enabled: boolean;
  /** Values of variables and headers are `{ set: true }`; so are they given to `change` to keep them. */
  readonly config: JsonObject;
  readonly image: string | undefined;
  readonly state: SavedState;
  /** The same for `serverHealth`. */
  readonly life: SavedLife;
  readonly error: LongshoreError | undefined;
  readonly transport: TransportName | undefined;
  /** Negotiated, or for one that is not connected the one it last had (R45). */
  readonly protocol_version: string | undefined;
  /** Ids of its containers or process groups, from the ledger. */
  readonly holdings: readonly string[];
  /** What it offers, or was last seen to offer. */
  readonly tools: readonly SavedTool[];
  readonly diagnostics: readonly Diagnostic[];
  /** Who saved or changed it last. */
  readonly actor: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Every saved server of an agent by name, the failed, disabled and legacy ones too (R33, R58, R59). */
export async function listSaved(book: SavedBook, agentId: AgentId): Promise<readonly ListedSaved[]> {
  return await Promise.all((await book.rows(agentId)).map(row => listed(book, row)));
}

/** Where a row is. */
export function savedLife(book: SavedBook, row: SavedServer): { readonly state: SavedState; readonly life: SavedLife } {
  if (isLegacy(row)) return { state: 'legacy', life: { name: 'failed', error: legacyError(row) } };
  const member = book.needs.fleet.server(row.agentId, row.serverKey);
  if (member) return { state: member.state.name, life: member.state };
  if (!row.enabled) return { state: 'disabled', life: { name: 'stopped' } };
  const error = book.fault(row.serverId);
  return error
    ? { state: 'restore-failed', life: { name: 'failed', error } }
    : { state: 'unloaded', life: { name: 'unloaded' } };
}

/** The kind of a row's server; of a damaged one, what its mode tells. */
export function savedKind(row: SavedServer): ServerKind {
  return planIfSound(row)?.kind ?? (row.mode === 'container' ? 'docker-image' : 'process');
}

async function listed(book: SavedBook, row: SavedServer): Promise<ListedSaved> {
  const { fleet, registry, cache, ledger } = book.needs;
  const { agentId, serverKey, serverId, name, mode, enabled, actor, createdAt, updatedAt } = row;
  const member = fleet.server(agentId, serverKey);
  const mounted = registry.list(agentId, { ownerKey: serverKey, kind: 'tool' });
  const last = mounted.length > 0 ? undefined : await cache.last(serverId).catch(() => undefined);
  const { state, life } = savedLife(book, row);
  return {
    serverId,
    name,
    server: serverKey,
    mode,
    kind: savedKind(row),
    enabled,
    config: shownConfig(configOf(row)),
    image: row.image ?? undefined,
    state,
    life,
    error: 'error' in life ? life.error : undefined,
    transport: member?.connection?.transport,
    protocol_version: member?.connection?.protocolVersion ?? mounted[0]?.protocolVersion ?? last?.protocolVersion,
    holdings: (await ledger.list({ agentId, serverKey })).map(one => one.engineId ?? one.name ?? one.id),
    tools: (mounted.length > 0 ? mounted.map(handle => handle.definition) : (last?.discovery.tools ?? [])).map(tool =>
      toolOf(serverKey, tool),
    ),
    diagnostics: [...(member?.planned.diagnostics ?? []), ...(member?.connection?.diagnostics() ?? [])],
    actor,
    createdAt,
    updatedAt,
  };
}

function toolOf(server: ServerKey, definition: Definition): SavedTool {
  const { name, description } = definition;
  const tool = { handleName: handleName(server, name), toolName: name, tokenCost: tokenCost(definition) };
  return typeof description === 'string' ? { ...tool, description } : tool;
}

import type { ToolView } from '../../api/tools.ts';
import type { Handle } from '../../core/words.ts';
import { tokenCost } from '../../governance/registry/token-cost.ts';
import type { SavedId } from '../../servers/saved-servers.ts';

/** What `invoke` takes for a tool: D1's id, or the handle's name where the server is not saved. */
export function toolIdOf(handle: Handle, serverId: string | null): string {
  return serverId === null
    ? handle.handleName
    : `mcp:${serverId}:${encodeURIComponent(handle.wireName.toWellFormed())}`;
}

/** Which saved server a tool id is of, and the server's own name of the tool; undefined for any other text. */
export function readToolId(text: string): { readonly serverId: string; readonly tool: string } | undefined {
  const [, serverId, encoded] = /^mcp:([^:]+):(.*)$/s.exec(text) ?? [];
  if (serverId === undefined || encoded === undefined) return undefined;
  try {
    return { serverId, tool: decodeURIComponent(encoded) };
  } catch {
    // No URL encoding of anything: there is no such tool.
    return { serverId, tool: encoded };
  }
}

/** The tools of an agent as the API tells them, verbatim. */
export function toolViews(handles: readonly Handle[], saved: readonly SavedId[]): readonly ToolView[] {
  const ids = new Map(saved.map(({ server, serverId }) => [server, serverId]));
  return handles.map(handle => ({
    name: handle.handleName,
    server: handle.ownerKey,
    tool: handle.wireName,
    toolId: toolIdOf(handle, ids.get(handle.ownerKey) ?? null),
    definition: handle.definition,
    tokenCost: tokenCost(handle.definition),
    protocol_version: handle.protocolVersion,
  }));
}

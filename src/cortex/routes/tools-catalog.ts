import type { ToolsCatalogAnswer } from '../../api/tools.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Handle } from '../../core/words.ts';
import { tokenCost } from '../../governance/registry/token-cost.ts';
import type { SavedId } from '../../servers/saved-servers.ts';
import type { HandleUsage } from '../../store/audit.ts';
import type { AddRoute } from '../route-maker.ts';
import { toolIdOf } from '../views/tool.ts';

/** `GET /api/tools/catalog`: D1's list of tools, each with its parameters and how it was used lately. */
export function toolsCatalogRoute(on: AddRoute): void {
  on('GET /api/tools/catalog', async ({ operator }) => {
    const asked = await operator();
    const [saved, usage] = await Promise.all([asked.savedIds(), asked.usage()]);
    const used = new Map(usage.map(one => [one.handleName, one]));
    return asked.tools.all().map(handle => {
      const server = saved.find(one => one.server === handle.ownerKey);
      return catalogEntry(handle, server, used.get(handle.handleName));
    });
  });
}

function catalogEntry(
  handle: Handle,
  server: SavedId | undefined,
  usage: HandleUsage | undefined,
): ToolsCatalogAnswer[number] {
  const { definition, handleName, ownerKey, wireName } = handle;
  const { title, description } = definition;
  const serverId = server?.serverId ?? null;
  return {
    id: toolIdOf(handle, serverId),
    kind: 'mcp',
    name: handleName,
    displayName: typeof title === 'string' ? title : wireName,
    description: typeof description === 'string' ? description : '',
    parameters: parametersOf(definition['inputSchema']),
    tokenCost: tokenCost(definition),
    executable: true,
    ...(handle.epoch === null && { executableHint: 'Its server is asleep; the call starts it.' }),
    serverId,
    serverName: server?.name ?? ownerKey,
    metrics: {
      callCount: usage?.calls ?? 0,
      successRatePct: usage ? Math.round((100 * usage.succeeded) / usage.calls) : null,
      avgDurationMs: usage ? Math.round(usage.averageLatency) : null,
      lastUsedAt: usage?.lastUsedAt ?? null,
    },
  };
}

/** The top level of a schema, for a form; the schema itself is in GET /api/tools. */
function parametersOf(schema: unknown): ToolsCatalogAnswer[number]['parameters'] {
  const { properties, required } = isJsonObject(schema) ? schema : ({} as JsonObject);
  if (!isJsonObject(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => {
    const { type, description } = isJsonObject(property) ? property : ({} as JsonObject);
    return {
      name,
      type: typeof type === 'string' ? type : 'any',
      required: needed.includes(name),
      ...(typeof description === 'string' && { description }),
    };
  });
}

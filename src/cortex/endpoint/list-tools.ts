import type { JsonObject } from '../../core/json.ts';
import type { EndpointGround } from './ground.ts';
import type { Prepared } from './json-rpc.ts';
import type { Exchange } from './mcp-client.ts';
import { listResult, refuseCursor } from './pages.ts';

/** Where the list names servers whose tools are not in it. */
const missingKey = 'longshore/missing';

/**
 * `tools/list`: what is known now, sleeping servers included, without waiting for any. Servers of which nothing is known
 * are named in `_meta`, and those that never ran are started meanwhile.
 */
export function listTools({ host, views }: EndpointGround, { client, era }: Exchange, params: JsonObject): Prepared {
  refuseCursor(params);
  const { servers } = client.scope();
  const missing = host.servers(client.agentId).flatMap(({ server, missing: why }) => {
    const isMeant = (client.server ?? server) === server && (servers === null || servers.includes(server));
    return why !== undefined && isMeant ? [{ server, ...why }] : [];
  });
  for (const { server } of missing) host.startUnseen(client.agentId, server);
  const meta = missing.length === 0 ? {} : { [missingKey]: missing };
  return listResult('tools', views.of(client).json('tool', era), era, meta);
}

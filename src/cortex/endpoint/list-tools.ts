import type { JsonObject } from '../../core/json.ts';
import type { EndpointGround } from './ground.ts';
import type { Prepared } from './json-rpc.ts';
import type { Exchange } from './mcp-client.ts';
import { listResult, refuseCursor } from './pages.ts';
import { lookAtUnseen, unseenServers } from './unseen-servers.ts';

/** Where the list names servers whose tools are not in it. */
const missingKey = 'longshore/missing';

/**
 * `tools/list`: what is known now, sleeping servers included. Servers of which nothing is known are started and named in
 * `_meta` where they are not there at once.
 */
export async function listTools(
  ground: EndpointGround,
  { client, era }: Exchange,
  params: JsonObject,
): Promise<Prepared> {
  refuseCursor(params);
  await lookAtUnseen(ground, client);
  const missing = unseenServers(ground, client).map(({ server, missing: why }) => ({ server, ...why }));
  const meta = missing.length === 0 ? {} : { [missingKey]: missing };
  return listResult('tools', ground.views.of(client).json('tool', era), era, meta);
}

import type { JsonObject } from '../../core/json.ts';
import type { HandleKind } from '../../core/words.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { type Prepared, RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange } from '../mcp-client.ts';
import { listResult } from '../results.ts';
import { lookAtUnseen, unseenServers } from '../unseen-servers.ts';

/** Where a list names servers of which nothing is in it. */
const missingKey = 'longshore/missing';

/** What the member of the result is called that has the list. */
const members = {
  tool: 'tools',
  resource: 'resources',
  template: 'resourceTemplates',
  prompt: 'prompts',
} as const satisfies Record<HandleKind, string>;

/**
 * `tools/list` and its kin: what is known now, sleeping servers included, as one page. Servers of which nothing is known
 * are started, and named in `_meta` where they are not there at once. Throws an RpcError for a cursor, which is never
 * one of ours.
 */
export async function list(
  ground: EndpointContext,
  kind: HandleKind,
  { client, era }: Exchange,
  { cursor }: JsonObject,
): Promise<Prepared> {
  if (cursor !== undefined && cursor !== null) {
    throw new RpcError(rpcCodes.invalidParams, 'The cursor is not known: every list is one page. Ask without it.');
  }
  await lookAtUnseen(ground, client);
  const missing = unseenServers(ground, client).map(({ server, missing: why }) => ({ server, ...why }));
  const meta = missing.length === 0 ? {} : { [missingKey]: missing };
  return listResult(members[kind], ground.views.of(client).json(kind, era), era, meta);
}

import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { wellFormed } from '../../core/well-formed.ts';
import { cut } from '../../lib/cut.ts';
import { toClientResult } from '../client-result.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { callFailure } from '../failures.ts';
import { RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange } from '../mcp-client.ts';
import { completed } from '../results.ts';
import { lookAtUnseen } from '../unseen-servers.ts';
import { governedCall } from './governed-call.ts';
import { findToolsName } from './tool-finder.ts';

/** `tools/call`, through governed dispatch. */
export async function callTool(ground: EndpointContext, exchange: Exchange, params: JsonObject): Promise<JsonObject> {
  const { era } = exchange;
  const { name } = params;
  // Some clients write null, or an empty list, for no arguments.
  const given = params.arguments ?? {};
  const args = Array.isArray(given) && given.length === 0 ? {} : given;
  if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'name must be the name of a tool.');
  if (!isJsonObject(args)) throw new RpcError(rpcCodes.invalidParams, 'arguments must be an object.');
  const shown = await resultOf(ground, exchange, name, args);
  return era === 'modern' && shown.resultType === 'complete' ? completed(shown) : shown;
}

async function resultOf(
  ground: EndpointContext,
  exchange: Exchange,
  name: string,
  args: JsonObject,
): Promise<JsonObject> {
  const { client, era } = exchange;
  const { finder, views, links, kept, settings } = ground;
  if (name === findToolsName && finder.narrows(client))
    return toClientResult(wellFormed(finder.find(client, args)), era);
  let handle = views.of(client).named('tool', name);
  if (handle === undefined) {
    // Its server may be one that nobody has looked at yet.
    await lookAtUnseen(ground, client);
    handle = views.of(client).named('tool', name);
  }
  if (handle === undefined && client.server !== undefined) {
    throw new RpcError(rpcCodes.invalidParams, `Unknown tool: ${cut(name, 200)}`);
  }
  try {
    const result = await governedCall(ground, exchange, { kind: 'tool', handle: name, arguments: args });
    if (handle !== undefined) links.note(client, handle.ownerKey, result);
    const hasSchema = handle?.definition.outputSchema !== undefined;
    return toClientResult(
      kept.within(client, name, result, settings.resultLimit, hasSchema),
      era,
      handle?.protocolVersion,
    );
  } catch (error) {
    return toClientResult(wellFormed(callFailure(ground.log, error, name, era)), era);
  }
}

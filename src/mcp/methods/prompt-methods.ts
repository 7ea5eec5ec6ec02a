import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { cut } from '../../lib/cut.ts';
import { toClientResult } from '../client-result.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { rpcFailure } from '../failures.ts';
import { RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange } from '../mcp-client.ts';
import { completed } from '../results.ts';
import { governedCall } from './governed-call.ts';

/** `prompts/get`, through governed dispatch. */
export async function getPrompt(ground: EndpointContext, exchange: Exchange, params: JsonObject): Promise<JsonObject> {
  const { client, era } = exchange;
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'name must be the name of a prompt.');
  if (!isJsonObject(args)) throw new RpcError(rpcCodes.invalidParams, 'arguments must be an object.');
  const missing = new RpcError(rpcCodes.invalidParams, `Unknown prompt: ${cut(name, 200)}`);
  const handle = ground.views.of(client).named('prompt', name);
  if (handle === undefined && client.server !== undefined) throw missing;
  try {
    const result = await governedCall(ground, exchange, { kind: 'prompt', handle: name, arguments: args });
    if (handle !== undefined) ground.links.note(client, handle.ownerKey, result);
    const shown = toClientResult(result, era);
    return era === 'modern' && shown.resultType === 'complete' ? completed(shown) : shown;
  } catch (error) {
    throw rpcFailure(ground.log, error, missing, era);
  }
}

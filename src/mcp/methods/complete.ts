import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { strictUriTemplate, variableOf } from '../../core/strict-uri-template.ts';
import type { Handle } from '../../core/words.ts';
import { toClientResult } from '../client-result.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { rpcFailure } from '../failures.ts';
import { RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange } from '../mcp-client.ts';
import { completed } from '../results.ts';
import type { View } from '../views.ts';
import { governedCall } from './governed-call.ts';

/** `completion/complete` for an argument of a prompt or a variable of a template; never asks anybody. */
export async function complete(ground: EndpointContext, exchange: Exchange, params: JsonObject): Promise<JsonObject> {
  const { client, era } = exchange;
  const { ref, argument, context } = params;
  if (!isJsonObject(ref) || !isJsonObject(argument)) {
    throw new RpcError(rpcCodes.invalidParams, 'A completion needs ref and argument, both objects.');
  }
  const missing = new RpcError(rpcCodes.invalidParams, 'There is no such prompt or resource template.');
  const handle = handleOf(ground.views.of(client), ref);
  if (handle === undefined) throw missing;
  const completes = { argument: asNamed(handle, argument), ...(isJsonObject(context) && { context }) };
  const { kind, handleName } = handle;
  try {
    const result = await governedCall(ground, exchange, { kind, handle: handleName, arguments: {}, completes });
    const shown = toClientResult(result, era);
    return era === 'modern' ? completed(shown) : shown;
  } catch (error) {
    throw rpcFailure(ground.log, error, missing, era);
  }
}

function handleOf(view: View, ref: JsonObject): Handle | undefined {
  if (ref.type === 'ref/prompt') return typeof ref.name === 'string' ? view.named('prompt', ref.name) : undefined;
  if (ref.type !== 'ref/resource') return undefined;
  const templates = view.list('template');
  return (
    templates.find(({ wireName }) => wireName === ref.uri) ??
    templates.find(({ wireName }) => strictUriTemplate(wireName) === ref.uri)
  );
}

/** The argument under its server's own name of it: clients see the variables of a template as the standard spells them. */
function asNamed({ kind, wireName }: Handle, argument: JsonObject): JsonObject {
  const { name } = argument;
  return kind === 'template' && typeof name === 'string' ? { ...argument, name: variableOf(wireName, name) } : argument;
}

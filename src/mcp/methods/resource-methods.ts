import type { JsonObject } from '../../core/json.ts';
import { isLinkedResource } from '../../core/linked-resource.ts';
import { matchesTemplate } from '../../core/uri-template.ts';
import type { Handle } from '../../core/words.ts';
import { noResource, rpcFailure } from '../failures.ts';
import type { EndpointGround } from '../ground.ts';
import { RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange, McpClient } from '../mcp-client.ts';
import { presentedResult } from '../presented.ts';
import { completed } from '../results.ts';
import { governedCall } from './governed-call.ts';
import { freshness } from './greeting.ts';

/**
 * `resources/read`, through governed dispatch: of a resource that is listed, of one that a result linked to, of one that
 * fits a template, or of a result that was kept because of its size.
 */
export async function readResource(
  ground: EndpointGround,
  exchange: Exchange,
  params: JsonObject,
): Promise<JsonObject> {
  const { client, era } = exchange;
  const uri = uriOf(params);
  const shown = presentedResult(ground.kept.read(client, uri) ?? (await read(ground, exchange, uri)), era);
  if (era === 'legacy' || shown.resultType !== 'complete') return shown;
  return { ...freshness, ...completed(shown) };
}

async function read(ground: EndpointGround, exchange: Exchange, uri: string): Promise<JsonObject> {
  const { client, era } = exchange;
  const missing = noResource(uri, era);
  const handle = resourceHandle(ground, client, uri);
  if (handle === undefined) throw missing;
  const { kind, handleName } = handle;
  const args = kind === 'template' ? { uri } : {};
  try {
    const result = await governedCall(ground, exchange, { kind, handle: handleName, arguments: args });
    ground.links.note(client, handle.ownerKey, result);
    return result;
  } catch (error) {
    throw rpcFailure(error, missing, era);
  }
}

/** The handle by which a URI is read; undefined where this client may not, or nobody has it. */
export function resourceHandle({ views, links }: EndpointGround, client: McpClient, uri: string): Handle | undefined {
  const view = views.of(client);
  const listed = view.list('resource').find(({ wireName }) => wireName === uri);
  if (listed) return listed;
  const server = links.serverOf(client, uri);
  const templates = view.list('template').filter(({ wireName }) => matchesTemplate(wireName, uri));
  const fitting = templates.filter(one => !isLinkedResource(one));
  const ofLink = server === undefined ? undefined : fitting.find(({ ownerKey }) => ownerKey === server);
  const linked = view.list('template').find(one => isLinkedResource(one) && one.ownerKey === server);
  return ofLink ?? linked ?? fitting[0];
}

/** `resources/subscribe`, of 2025 clients: its server stays awake as long as the session wants to hear of changes. */
export async function subscribe(ground: EndpointGround, exchange: Exchange, params: JsonObject): Promise<JsonObject> {
  const { client, session, signal, era } = exchange;
  const uri = uriOf(params);
  const handle = resourceHandle(ground, client, uri);
  if (handle === undefined) throw noResource(uri, era);
  if (!session || session.subscriptions.has(uri)) return {};
  try {
    session.subscriptions.set(uri, await ground.host.subscribe(client.agentId, handle.ownerKey, uri, signal));
  } catch (error) {
    throw rpcFailure(error, noResource(uri, era), era);
  }
  return {};
}

export async function unsubscribe({ session }: Exchange, params: JsonObject): Promise<JsonObject> {
  const uri = uriOf(params);
  const subscription = session?.subscriptions.get(uri);
  session?.subscriptions.delete(uri);
  await subscription?.[Symbol.asyncDispose]();
  return {};
}

function uriOf({ uri }: JsonObject): string {
  if (typeof uri === 'string' && uri !== '') return uri;
  throw new RpcError(rpcCodes.invalidParams, 'uri must be the URI of a resource.');
}

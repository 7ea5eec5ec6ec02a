import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { isLinkedResource } from '../../core/linked-resource.ts';
import { asWritten } from '../../core/strict-uri-template.ts';
import { fittingTemplates } from '../../core/uri-template.ts';
import type { Handle } from '../../core/words.ts';
import { clientUri } from '../client-definition.ts';
import { toClientResult } from '../client-result.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { noResource, rpcFailure } from '../failures.ts';
import { RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange, McpClient } from '../mcp-client.ts';
import { completed } from '../results.ts';
import { governedCall } from './governed-call.ts';
import { freshness } from './greeting.ts';

/**
 * `resources/read`, through governed dispatch: of a resource that is listed, of one that a result linked to, of one that
 * fits a template, or of a result that was kept because of its size.
 */
export async function readResource(
  ground: EndpointContext,
  exchange: Exchange,
  params: JsonObject,
): Promise<JsonObject> {
  const { client, era } = exchange;
  const uri = uriOf(params);
  const shown = toClientResult(ground.kept.read(client, uri) ?? (await read(ground, exchange, uri)), era);
  if (era === 'legacy' || shown.resultType !== 'complete') return shown;
  const { ttlMs } = shown;
  // What its server allows everybody to keep is still decided for each caller.
  const isPromised = typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs >= 0;
  return { ...completed(shown), ...freshness, ...(isPromised && { ttlMs }) };
}

async function read(ground: EndpointContext, exchange: Exchange, uri: string): Promise<JsonObject> {
  const { client, era } = exchange;
  const missing = noResource(uri, era);
  const handle = resourceHandle(ground, client, uri);
  if (handle === undefined) throw missing;
  const { kind, handleName } = handle;
  const own = wireUri(handle, uri);
  const args = kind === 'template' ? { uri: own } : {};
  try {
    const result = await governedCall(ground, exchange, { kind, handle: handleName, arguments: args });
    ground.links.note(client, handle.ownerKey, result);
    return own === uri ? result : asAsked(result, own, uri);
  } catch (error) {
    throw rpcFailure(ground.log, error, missing, era);
  }
}

/** The handle by which a URI is read; undefined where this client may not, or nobody has it. */
export function resourceHandle({ views, links }: EndpointContext, client: McpClient, uri: string): Handle | undefined {
  const view = views.of(client);
  const resources = view.list('resource');
  const listed = resources.find(({ wireName }) => wireName === uri) ?? resources.find(one => isRenamed(one, uri));
  if (listed) return listed;
  const server = links.serverOf(client, uri);
  const templates = fittingTemplates(
    view.list('template'),
    ({ wireName }) => wireName,
    ({ wireName }) => asWritten(wireName, uri),
  );
  const fitting = templates.filter(one => !isLinkedResource(one));
  const ofLink = server === undefined ? undefined : fitting.find(({ ownerKey }) => ownerKey === server);
  const linked = view.list('template').find(one => isLinkedResource(one) && one.ownerKey === server);
  return ofLink ?? linked ?? fitting[0];
}

/** True for the URI that stands for one which not every client can read. */
function isRenamed(handle: Handle, uri: string): boolean {
  return uri.startsWith('longshore://resources/') && clientUri(handle) === uri;
}

/** The URI as its server knows it, of what a client reads by that handle. */
export function wireUri({ kind, wireName }: Handle, uri: string): string {
  return kind === 'resource' ? wireName : asWritten(wireName, uri);
}

/** The contents of what a client asked for by another URI than its server's, under the one it knows. */
function asAsked(result: JsonObject, own: string, asked: string): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  const renamed = (contents as readonly JsonValue[]).map(one =>
    isJsonObject(one) && one.uri === own ? { ...one, uri: asked } : one,
  );
  return { ...result, contents: renamed };
}

/** `resources/subscribe`, of 2025 clients: its server stays awake as long as the session wants to hear of changes. */
export async function subscribe(ground: EndpointContext, exchange: Exchange, params: JsonObject): Promise<JsonObject> {
  const { client, session, signal, era } = exchange;
  const uri = uriOf(params);
  const handle = resourceHandle(ground, client, uri);
  if (handle === undefined) throw noResource(uri, era);
  if (!session || session.subscriptions.has(uri)) return {};
  try {
    const own = wireUri(handle, uri);
    const request = { ...client, handle, uri: own };
    const end = (): void => void session.subscriptions.delete(uri);
    session.subscriptions.set(uri, await ground.host.subscribe(request, signal, end));
  } catch (error) {
    throw rpcFailure(ground.log, error, noResource(uri, era), era);
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

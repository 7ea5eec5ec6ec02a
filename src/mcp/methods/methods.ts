import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Era } from '../../core/words.ts';
import { cut } from '../../lib/cut.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { type Prepared, RpcError, rpcCodes } from '../json-rpc.ts';
import type { Exchange, McpClient } from '../mcp-client.ts';
import { callTool } from './call-tool.ts';
import { complete } from './complete.ts';
import { isLogLevel } from './governed-call.ts';
import { discoverResult, mergedInstructions } from './greeting.ts';
import { list } from './lists.ts';
import { getPrompt } from './prompt-methods.ts';
import { readResource, subscribe, unsubscribe } from './resource-methods.ts';

/** One method of the protocol: what it answers. Throws an RpcError. */
export type Run = (exchange: Exchange, params: JsonObject) => Promise<JsonObject | Prepared> | JsonObject | Prepared;

/** A method, and who has it. */
export interface Method {
  /** The only family of revisions that has it; both if not said. */
  readonly era?: Era;
  readonly run: Run;
}

/** Every method that is answered with one result. `initialize` and `subscriptions/listen` belong to what carries them. */
export function createMethods(ground: EndpointContext): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    ['ping', { era: 'legacy', run: () => ({}) }],
    ['server/discover', { era: 'modern', run: ({ client }) => discoverResult(instructionsFor(ground, client)) }],
    ['tools/list', { run: (exchange, params) => list(ground, 'tool', exchange, params) }],
    ['tools/call', { run: (exchange, params) => callTool(ground, exchange, params) }],
    ['resources/list', { run: (exchange, params) => list(ground, 'resource', exchange, params) }],
    ['resources/templates/list', { run: (exchange, params) => list(ground, 'template', exchange, params) }],
    ['resources/read', { run: (exchange, params) => readResource(ground, exchange, params) }],
    ['resources/subscribe', { era: 'legacy', run: (exchange, params) => subscribe(ground, exchange, params) }],
    ['resources/unsubscribe', { era: 'legacy', run: (exchange, params) => unsubscribe(exchange, params) }],
    ['prompts/list', { run: (exchange, params) => list(ground, 'prompt', exchange, params) }],
    ['prompts/get', { run: (exchange, params) => getPrompt(ground, exchange, params) }],
    ['completion/complete', { run: (exchange, params) => complete(ground, exchange, params) }],
    ['logging/setLevel', { era: 'legacy', run: (exchange, params) => setLogLevel(ground, exchange, params) }],
  ]);
}

/** The method of that name in that era. Throws `-32601`. */
export function methodOf(methods: ReadonlyMap<string, Method>, name: string, era: Era): Method {
  const method = methods.get(name);
  if (method !== undefined && (method.era ?? era) === era) return method;
  throw new RpcError(rpcCodes.methodNotFound, `Method not found: ${cut(name, 200)}`);
}

/** What the servers that a client sees want it to know. */
export function instructionsFor({ host, views }: EndpointContext, client: McpClient): string | undefined {
  const seen = new Set(
    views
      .of(client)
      .list('tool')
      .map(({ ownerKey }) => ownerKey),
  );
  return mergedInstructions(host.servers(client.agentId).filter(({ server }) => seen.has(server)));
}

function setLogLevel(ground: EndpointContext, { session, client }: Exchange, { level }: JsonObject): JsonObject {
  if (!isLogLevel(level)) throw new RpcError(rpcCodes.invalidParams, 'level must be one of the levels of RFC 5424.');
  if (session) session.logLevel = level;
  ground.logLevelSet(client.agentId);
  return {};
}

/** The `_meta` of a request; none if it has none. */
export function metaOf({ _meta }: JsonObject): JsonObject {
  return isJsonObject(_meta) ? _meta : {};
}

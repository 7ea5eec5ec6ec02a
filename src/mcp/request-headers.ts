import type { IncomingHttpHeaders } from 'node:http';
import { declaredHeaders } from '../connections/x-mcp-header.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { modernVersions } from '../core/protocol-versions.ts';
import { cut } from '../lib/cut.ts';
import { type Message, RpcError, rpcCodes } from './json-rpc.ts';
import { metaOf } from './methods/methods.ts';
import type { View } from './views.ts';

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

type Request = Extract<Message, { kind: 'request' | 'notice' }>;

/** True for a message that describes itself, as those of 2026-07-28 and later do. */
export function describesItself({ params }: Pick<Request, 'params'>): boolean {
  return metaKeys.version in metaOf(params);
}

/** Which revisions the header may name; a date of 2026-07-28 or later is a revision without sessions. */
function isModern(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= modernVersions[0];
}

/**
 * Which family of revisions a message over HTTP belongs to: its own word counts, and a header that says something else
 * is refused (2026-07-28, "Standard headers"). Throws an RpcError with `-32020` or `-32602`.
 */
export function eraOfRequest(message: Request, headers: IncomingHttpHeaders): 'modern' | 'legacy' {
  const named = headerOf(headers, 'mcp-protocol-version');
  if (describesItself(message)) return 'modern';
  if (named === undefined || !isModern(named)) return 'legacy';
  if (message.method === 'initialize')
    throw mismatch(
      `initialize belongs to revisions before ${modernVersions[0]}, and MCP-Protocol-Version names ${named}`,
    );
  if (message.kind === 'notice') return 'modern';
  throw new RpcError(
    rpcCodes.invalidParams,
    `MCP-Protocol-Version names ${named}, so params._meta must have ${metaKeys.version} and ${metaKeys.capabilities}.`,
    undefined,
    400,
  );
}

/**
 * What a request of 2026-07-28 says of its client. Throws `-32602` where its `_meta` is not whole and `-32022` for a
 * revision that we do not speak.
 */
export function readEnvelope(params: JsonObject): { readonly capabilities: JsonObject } {
  const meta = metaOf(params);
  const version = meta[metaKeys.version];
  const capabilities = meta[metaKeys.capabilities];
  if (typeof version !== 'string') throw badEnvelope(`${metaKeys.version} must be a text`);
  if (!isJsonObject(capabilities)) throw badEnvelope(`${metaKeys.capabilities} must be an object`);
  if (modernVersions.some(one => one === version)) return { capabilities };
  throw new RpcError(rpcCodes.unsupportedVersion, `Longshore does not speak MCP ${cut(version, 40)}.`, {
    supported: [...modernVersions],
    requested: version,
  });
}

function badEnvelope(what: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `The request's _meta is not whole: ${what}.`, undefined, 400);
}

/** What `Mcp-Name` repeats of a request's params. */
const nameSources: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Compares the headers of a 2026 request with its body. Throws `-32020`. */
export function checkHeaders({ method, params, kind }: Request, headers: IncomingHttpHeaders): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  const said = metaOf(params)[metaKeys.version];
  if (version !== undefined && said !== undefined && version !== said) {
    throw mismatch(`MCP-Protocol-Version names ${version}, and the body ${JSON.stringify(said)}`);
  }
  const named = headerOf(headers, 'mcp-method');
  if (named !== undefined && named !== method) throw mismatch(`Mcp-Method names ${named}, and the body ${method}`);
  if (kind === 'notice') return;
  if (version === undefined) throw mismatch('the header MCP-Protocol-Version is missing');
  if (named === undefined) throw mismatch('the header Mcp-Method is missing');
  const source = nameSources[method];
  const value = source === undefined ? undefined : params[source];
  if (source === undefined || typeof value !== 'string') return;
  const header = headerOf(headers, 'mcp-name');
  if (header === undefined) throw mismatch(`the header Mcp-Name is missing, and the body has params.${source}`);
  if (decoded(header) !== value) throw mismatch(`Mcp-Name is not params.${source} of the body`);
}

/**
 * Compares the `Mcp-Param-*` headers of a tool call with its arguments, as the tool's schema asks. Throws `-32020`.
 */
export function checkParamHeaders(
  view: View,
  { name, arguments: args }: JsonObject,
  headers: IncomingHttpHeaders,
): void {
  const handle = typeof name === 'string' ? view.named('tool', name) : undefined;
  if (handle === undefined || !isJsonObject(args)) return;
  for (const { header, path, type } of declaredHeaders(handle.definition.inputSchema)) {
    const value = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), args);
    if (value === undefined || value === null || typeof value === 'object') continue;
    const named = `mcp-param-${header.toLowerCase()}`;
    const said = headerOf(headers, named);
    if (said === undefined)
      throw mismatch(`the header Mcp-Param-${header} is missing, and the body has ${path.join('.')}`);
    const text = decoded(said);
    const isSame =
      type === 'integer' && text !== undefined && /^-?\d+(\.\d+)?$/.test(text)
        ? Number(text) === value
        : text === `${value as string | number | boolean}`;
    if (!isSame) throw mismatch(`Mcp-Param-${header} is not ${path.join('.')} of the body`);
  }
}

export function mismatch(what: string): RpcError {
  return new RpcError(rpcCodes.headerMismatch, `Header mismatch: ${what}.`);
}

/** One value of a header, without the space around it. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

const encodedValue = /^=\?base64\?(.*)\?=$/s;

/** The value of a header that carries a text; undefined for one that cannot be read. */
export function decoded(header: string): string | undefined {
  const encoded = encodedValue.exec(header)?.[1];
  if (encoded === undefined) return header;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

import { isExactNumber, parseExactJson } from '../core/exact-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { scanJson } from '../core/scan-json.ts';
import { wellFormedJson } from '../core/well-formed.ts';
import { cut } from '../lib/cut.ts';

/** As the client chose it; goes back unchanged. */
export type RequestId = string | number;

/** One message of a client. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notice'; readonly method: string; readonly params: JsonObject }
  /** The answer to a question of ours. */
  | { readonly kind: 'answer'; readonly id: RequestId; readonly result?: JsonObject; readonly error?: JsonObject };

/** The error codes of JSON-RPC and of MCP 2026-07-28 that an endpoint uses. */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/** An error that a client is answered with. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: JsonValue | undefined;
  /** Of the HTTP answer, where there is one. */
  readonly status: number;

  constructor(code: number, message: string, data?: JsonValue, status = statuses.get(code) ?? 200) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** What the specification asks of HTTP answers with these codes of our own; what a server said is an answer like any. */
const statuses: ReadonlyMap<number, number> = new Map([
  [rpcCodes.parse, 400],
  [rpcCodes.invalidRequest, 400],
  [rpcCodes.methodNotFound, 404],
  [rpcCodes.headerMismatch, 400],
  [rpcCodes.missingCapability, 400],
  [rpcCodes.unsupportedVersion, 400],
]);

/** A message that cannot be taken for one; its id is echoed as far as it could be read (JSON-RPC 2.0, section 5). */
export class MalformedMessage extends RpcError {
  readonly id: RequestId | null;

  constructor(code: number, message: string, id: RequestId | null) {
    super(code, message);
    this.id = id;
  }
}

/** The id to answer a failure with: that of a message that was read, or as much as could be read of one. */
export function idOf(error: unknown): RequestId | null {
  return error instanceof MalformedMessage ? error.id : null;
}

/** A result that is JSON text already: it is written as it is. */
export class Prepared {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Lists and objects inside each other in a message of a client; arguments have a smaller limit of their own. */
const deepest = 500;

/** Reads a body or a line as JSON, numbers with the text that they were written as. Throws a MalformedMessage. */
export function parseJson(text: string): unknown {
  const { depth, inexact } = scanJson(text);
  if (depth > deepest) {
    throw new MalformedMessage(rpcCodes.invalidRequest, `The message is nested deeper than ${deepest} levels.`, null);
  }
  try {
    return parseExactJson(text, inexact);
  } catch {
    throw new MalformedMessage(rpcCodes.parse, 'The message is not JSON.', null);
  }
}

/** Reads one message. Throws a MalformedMessage where it is none of JSON-RPC 2.0. */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value)) throw notJsonRpc(undefined);
  const { id, method, result, error } = value;
  if (value.jsonrpc !== '2.0') throw notJsonRpc(id);
  if (typeof method === 'string') {
    const params = paramsOf(value.params);
    if (params === undefined) {
      const message = `The params of ${cut(method, 200)} must be an object.`;
      throw new MalformedMessage(rpcCodes.invalidParams, message, isId(id) ? id : null);
    }
    if (id === undefined) return { kind: 'notice', method, params };
    if (isId(id)) return { kind: 'request', id, method, params };
    throw notJsonRpc(id);
  }
  if (!isId(id) || method !== undefined) throw notJsonRpc(id);
  if (isJsonObject(result)) return { kind: 'answer', id, result };
  if (isJsonObject(error)) return { kind: 'answer', id, error };
  throw notJsonRpc(id);
}

/** A number that keeps its text goes back as it came, as any other id does. */
function isId(id: JsonValue | undefined): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) || isExactNumber(id);
}

/** Some clients write null, or an empty list, for what is not there. */
function paramsOf(params: JsonValue | undefined): JsonObject | undefined {
  if (params === undefined || params === null || (Array.isArray(params) && params.length === 0)) return {};
  return isJsonObject(params) ? params : undefined;
}

function notJsonRpc(id: JsonValue | undefined): MalformedMessage {
  const message = 'The body must be one JSON-RPC 2.0 message.';
  return new MalformedMessage(rpcCodes.invalidRequest, message, isId(id) ? id : null);
}

/** Around a result as it is: what of it is not verbatim somebody else's is made well-formed where it is made. */
export function resultFrame(id: RequestId, result: JsonObject | Prepared): string {
  const json = result instanceof Prepared ? result.json : JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
}

/** `id` is null where the request could not be read. */
export function errorFrame(id: RequestId | null, { code, message, data }: RpcError): string {
  const error = wellFormedJson({ code, message, ...(data !== undefined && { data }) });
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}`;
}

export function noticeFrame(method: string, params: JsonObject): string {
  return wellFormedJson({ jsonrpc: '2.0', method, params });
}

export function requestFrame(id: RequestId, method: string, params: JsonObject): string {
  return wellFormedJson({ jsonrpc: '2.0', id, method, params });
}

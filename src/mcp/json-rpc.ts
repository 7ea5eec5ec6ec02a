import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
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

/** What the specification asks of HTTP answers with these codes; others are answers like any. */
const statuses: ReadonlyMap<number, number> = new Map([
  [rpcCodes.parse, 400],
  [rpcCodes.invalidRequest, 400],
  [rpcCodes.methodNotFound, 404],
  [rpcCodes.headerMismatch, 400],
  [rpcCodes.missingCapability, 400],
  [rpcCodes.unsupportedVersion, 400],
]);

/** A result that is JSON text already: it is written as it is. */
export class Prepared {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Reads the text of one message. Throws an RpcError where it is no JSON, or as `readMessage` does. */
export function parseMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RpcError(rpcCodes.parse, 'The message is not JSON.');
  }
  return readMessage(value);
}

/** Reads one message. Throws an RpcError where it is none of JSON-RPC 2.0. */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') throw notJsonRpc();
  const { id, method, params = {}, result, error } = value;
  if (typeof method === 'string') {
    if (!isJsonObject(params)) {
      throw new RpcError(rpcCodes.invalidParams, `The params of ${cut(method, 200)} must be an object.`);
    }
    if (id === undefined) return { kind: 'notice', method, params };
    if (isId(id)) return { kind: 'request', id, method, params };
    throw notJsonRpc();
  }
  if (!isId(id) || method !== undefined) throw notJsonRpc();
  if (isJsonObject(result)) return { kind: 'answer', id, result };
  if (isJsonObject(error)) return { kind: 'answer', id, error };
  throw notJsonRpc();
}

function isId(id: JsonValue | undefined): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

function notJsonRpc(): RpcError {
  return new RpcError(rpcCodes.invalidRequest, 'The body must be one JSON-RPC 2.0 message.');
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

import { asLongshoreError, type LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import type { Era } from '../core/words.ts';
import { cut } from '../lib/cut.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';
import { StillWaiting } from './methods/governed-call.ts';

/** Where a result says that it is Longshore's own word and not the server's. */
const failureKey = 'longshore/failure';

/**
 * What the client of a tool call is told of a failure: a result with `isError`, so that a model reads why and what to
 * do, unless there is no such tool or the server itself answered with a JSON-RPC error.
 */
export function callFailure(log: Log, error: unknown, name: string, era: Era): JsonObject {
  if (error instanceof RpcError) throw error;
  if (error instanceof StillWaiting) return waitingResult(error);
  const failure = asLongshoreError(error);
  if (failure.code === 'unknown-tool') {
    throw new RpcError(rpcCodes.invalidParams, `Unknown tool: ${cut(name, 200)}`);
  }
  if (failure.code === 'server-error') throw serversError(failure, era);
  return {
    content: [{ type: 'text', text: naming(name, told(log, failure)) }],
    isError: true,
    _meta: { [failureKey]: { code: failure.code, ...idsOf(failure) } },
  };
}

/** The same for reads, prompts and completions, which can only fail. */
export function rpcFailure(log: Log, error: unknown, missing: RpcError, era: Era): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof StillWaiting) {
    const { id, url } = error.where;
    return new RpcError(rpcCodes.internal, `${error.message} Then ask again.`, {
      code: 'approval-pending',
      approvalId: id,
      url,
    });
  }
  const failure = asLongshoreError(error);
  if (failure.code === 'unknown-tool') return missing;
  if (failure.code === 'server-error') return serversError(failure, era);
  return new RpcError(rpcCodes.internal, told(log, failure), { code: failure.code, ...idsOf(failure) });
}

/** Whatever went wrong with a request itself, as its client is told. */
export function asRpcError(log: Log, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const failure = asLongshoreError(error);
  return new RpcError(rpcCodes.internal, told(log, failure), { code: failure.code });
}

/** There is nothing of that URI, in the words of the client's revision. */
export function noResource(uri: string, era: Era): RpcError {
  const code = era === 'legacy' ? rpcCodes.resourceNotFound : rpcCodes.invalidParams;
  return new RpcError(code, `Resource not found: ${cut(uri, 500)}`, { uri });
}

function waitingResult({ where: { id, url, sentence } }: StillWaiting): JsonObject {
  const text = `${sentence}\nNothing was called yet. Tell the person; once it is approved, make the very same call again and it will run.`;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { [failureKey]: { code: 'approval-pending', approvalId: id, url } },
  };
}

/**
 * Codes that would look like words about the client's own request. A missing capability is: the server was told those of
 * this very client.
 */
const ours: ReadonlySet<unknown> = new Set([rpcCodes.headerMismatch, rpcCodes.unsupportedVersion]);
/** One that 2026-07-28 has no more. */
const urlElicitationRequired = -32_042;

/** The server's own JSON-RPC error, verbatim where its code means to this client what it meant to us. */
function serversError({ data, message }: LongshoreError, era: Era): RpcError {
  const { code, message: said, data: details } = data ?? {};
  const text = typeof said === 'string' ? said : message;
  const value = details as JsonValue | undefined;
  if (typeof code !== 'number' || !Number.isInteger(code) || ours.has(code)) {
    return new RpcError(rpcCodes.internal, message);
  }
  if (era === 'legacy' && code === rpcCodes.missingCapability) return new RpcError(rpcCodes.internal, text, value);
  if (era === 'modern' && code === rpcCodes.resourceNotFound) return new RpcError(rpcCodes.invalidParams, text, value);
  if (era === 'modern' && code === urlElicitationRequired) return new RpcError(rpcCodes.internal, text, value);
  // It was told this client's own capabilities, so that one is a word about the client's request.
  if (code === rpcCodes.missingCapability) return new RpcError(code, text, value);
  // Any other status is that of an answer: what the server says of its own request is no word about this client's.
  return new RpcError(code, text, value, 200);
}

/** A client with many servers learns which of them it was. */
function naming(name: string, text: string): string {
  return text.includes(name) ? text : `${cut(name, 200)}: ${text}`;
}

/** Of our own mistakes a client learns only that there was one, and the log everything: one never goes without the other. */
function told(log: Log, failure: LongshoreError): string {
  if (failure.code !== 'internal') return failure.message;
  log.error(
    { err: failure.cause ?? failure, ...idsOf(failure) },
    'A request of an MCP client failed by a mistake of ours.',
  );
  return 'Longshore could not do this because of a fault of its own; its log says more.';
}

function idsOf({ data }: LongshoreError): JsonObject {
  if (!isJsonObject(data)) return {};
  const { approvalId, dispatchId } = data;
  return { ...(approvalId !== undefined && { approvalId }), ...(dispatchId !== undefined && { dispatchId }) };
}

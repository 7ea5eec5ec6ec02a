import { isExactNumber, numberOf } from '../../core/exact-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { unreadableAnswer } from './frames.ts';
import type { Frame } from './wire.ts';

/**
 * One message of JSON-RPC as servers write it, in the protocol's own form, or undefined if it is none: null is absent, `[]`
 * is an empty object, an id of ours may come back as text, an error is one only if it says something. An answer that says
 * nothing is an error (`unreadableAnswer`), for whoever waits for it.
 */
export function asFrame(value: unknown): Frame | undefined {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') return undefined;
  const method = value.method ?? undefined;
  if (method === undefined) return asAnswer(value);
  if (typeof method !== 'string') return undefined;
  const id = value.id ?? undefined;
  if (id !== undefined && !isId(id)) return undefined;
  const { params } = value;
  const frame = { jsonrpc: '2.0', method, ...(id !== undefined && { id }), ...(isJsonObject(params) && { params }) };
  return frame as unknown as Frame;
}

function asAnswer(value: JsonObject): Frame | undefined {
  const id = answeredBy(value.id ?? undefined);
  if (id === notOurs) return undefined;
  const error = asError(value.error, value.result);
  if (error !== undefined) return { jsonrpc: '2.0', ...(id !== undefined && { id }), error } as unknown as Frame;
  if (id === undefined) return undefined;
  // What it must be an object for is known only to whoever asked.
  const result = Array.isArray(value.result) && value.result.length === 0 ? {} : value.result;
  return { jsonrpc: '2.0', id, result } as unknown as Frame;
}

const notOurs = Symbol('not an id of ours');

/** The id of ours that an answer names, if it names any. The SDK reads ids by their number, too. */
function answeredBy(id: JsonValue | undefined): number | string | undefined | typeof notOurs {
  if (id === undefined) return undefined;
  const number = typeof id === 'string' && /^\s*\d+(?:\.0+)?\s*$/.test(id) ? Number(id) : numberOf(id);
  if (number !== undefined) return Number.isSafeInteger(number) ? number : notOurs;
  return typeof id === 'string' ? id : notOurs;
}

/** The error of an answer in the protocol's form, undefined if it has none. */
function asError(error: JsonValue | undefined, result: JsonValue | undefined): JsonObject | undefined {
  const saysNothing = error === undefined || error === null || error === false || isEmpty(error);
  if (result !== undefined && (saysNothing || !isJsonObject(error)) && result !== null) return undefined;
  if (saysNothing) return result === undefined ? unreadable('neither a result nor an error') : undefined;
  if (!isJsonObject(error))
    return { code: internalError, message: typeof error === 'string' ? error : '', data: error };
  const code = numberOf(typeof error.code === 'string' ? Number(error.code) : error.code);
  const { message } = error;
  return {
    ...error,
    code: code !== undefined && Number.isSafeInteger(code) ? code : internalError,
    message: typeof message === 'string' ? message : '',
  };
}

const internalError = -32_603;

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !isExactNumber(value) && Object.keys(value).length === 0;
}

/** An error in place of an answer of which nobody can say what it is. `found`: "has …". */
function unreadable(found: string): JsonObject {
  return { code: unreadableAnswer, message: `It has ${found}.` };
}

/** A number that keeps its text is an id as good as any: it goes back as it came. */
function isId(value: JsonValue): boolean {
  return typeof value === 'string' || Number.isFinite(value) || isExactNumber(value);
}

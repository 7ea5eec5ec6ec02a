import { stripVTControlCharacters } from 'node:util';
import { isJsonObject } from '../../core/json.ts';
import type { OversizedLine } from './line-reader.ts';
import type { Frame } from './wire.ts';

/** In `error.code` of the answer that the stdio wire gives in place of one that was too long to keep. */
export const resultTooLarge = -32_010;

/** In `error.code` of the answer that the HTTP wire gives in place of one whose stream ended for good before it came. */
export const answerLost = -32_011;

/** True for an answer, good or bad; such a frame has no `method`. */
export function isResponse(frame: Frame): boolean {
  return !('method' in frame);
}

/**
 * The JSON-RPC messages of one line: one, or several in a batch (revision 2025-03-26). `undefined` if the line is
 * anything else. What terminals are told before the text (colours, a byte-order mark, a lone \r) is overlooked.
 */
export function parseFrames(line: string): readonly Frame[] | undefined {
  const value = parseJson(line) ?? parseJson(withoutTerminalPrefix(line));
  if (isFrame(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isFrame) ? value : undefined;
}

/** The request that a line too long to keep was the answer to, read from its two ends; `undefined` if it was no answer. */
export function answeredId({ head, tail }: OversizedLine): number | string | undefined {
  const version = '"jsonrpc"\\s*:\\s*"2\\.0"\\s*';
  const id = '"id"\\s*:\\s*(-?\\d+|"[^"\\\\]*")\\s*';
  const body = '"(?:result|error)"\\s*:';
  // A member that stands right before the line's last brace is the frame's own, whatever the result quotes.
  const found =
    new RegExp(`^\\s*\\{\\s*(?:${version},\\s*)?${id},\\s*(?:${version},\\s*)?${body}`).exec(head) ??
    (new RegExp(`^\\s*\\{\\s*(?:${version},\\s*)?${body}`).test(head)
      ? new RegExp(`,\\s*${id}(?:,\\s*${version})?\\}\\s*$`).exec(tail)
      : null);
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as number | string);
}

function parseJson(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutTerminalPrefix(line: string): string {
  const start = line.indexOf('{"');
  const prefix = start > 0 && start < 1024 ? stripVTControlCharacters(line.slice(0, start)) : 'text';
  return Array.from(prefix).every(character => character <= ' ' || character === '\uFEFF') ? line.slice(start) : '';
}

function isFrame(value: unknown): value is Frame {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, result, error } = value;
  if (method !== undefined) return typeof method === 'string' && (id === undefined || isId(id));
  if (result !== undefined) return isId(id);
  return (isId(id) || id === null || id === undefined) && isJsonObject(error) && typeof error['code'] === 'number';
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}

import type { OversizedLine } from './line-reader.ts';
import type { Frame } from './wire.ts';

/** In `error.code` of the answer that the stdio wire gives in place of one that was too long to keep. */
export const resultTooLarge = -32_010;

/** In `error.code` of the answer that the HTTP wire gives in place of one whose stream ended for good before it came. */
export const answerLost = -32_011;

/** In `error.code` of what stands in place of an answer that could not be read. */
export const unreadableAnswer = -32_012;

/** True for an answer, good or bad; such a frame has no `method`. */
export function isResponse(frame: Frame): boolean {
  return !('method' in frame);
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

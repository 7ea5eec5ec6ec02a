import { stripVTControlCharacters } from 'node:util';
import { parseExactJson } from '../../core/exact-json.ts';
import { objectsWithin, withoutNaN } from '../../core/json-within.ts';
import { scanJson } from '../../core/scan-json.ts';
import { asFrame } from './as-frame.ts';
import { answeredId, isResponse, resultTooLarge, unreadableAnswer } from './frames.ts';
import type { Frame } from './wire.ts';

/** What one message or batch of a server may be at most, beside its bytes: what is deeper or more cannot be worked with safely. */
export const frameLimits = { depth: 1_000, values: 2_000_000 } as const;

/** What was odd about a text in which messages were found. */
export type Oddity = 'nan' | 'glued' | 'unreadable';

/** The messages of a text. */
export interface FrameReading {
  readonly frames: readonly Frame[];
  readonly oddity?: Oddity;
}

/** So many objects of a line with other text around them are looked at. */
const mostGlued = 8;

/**
 * The messages of one line, body or event: one, or several in a batch (revision 2025-03-26); undefined if it holds none.
 * Reads what servers write: terminals' control codes before a message, NaN and Infinity (as null), and, for answers that
 * are awaited, text around the message. An answer that cannot be read or is too much becomes an error for whoever awaits
 * it. Never throws.
 */
export function readFrames(text: string, isAwaited: (id: number | string) => boolean): FrameReading | undefined {
  const whole = readWhole(text) ?? readWhole(withoutTerminalPrefix(text));
  if (whole !== undefined) return whole;
  if (!text.includes('"jsonrpc"')) return undefined;
  const answers: Frame[] = [];
  for (const [start, end] of objectsWithin(text, mostGlued)) {
    const found = readWhole(text.slice(start, end))?.frames ?? [];
    for (const frame of found) if (isResponse(frame) && awaits(frame, isAwaited)) answers.push(frame);
  }
  if (answers.length > 0) return { frames: answers, oddity: 'glued' };
  return unreadable(text, isAwaited);
}

function awaits(frame: Frame, isAwaited: (id: number | string) => boolean): boolean {
  return 'id' in frame && frame.id !== undefined && isAwaited(frame.id);
}

/** The messages of a text that is nothing but JSON. */
function readWhole(text: string): FrameReading | undefined {
  const first = /^\s*([[{])/.exec(text)?.[1];
  if (first === undefined) return undefined;
  const scan = scanJson(text);
  const much = tooMuch(scan);
  if (much !== undefined) return refused(text, resultTooLarge, much);
  let value: unknown;
  try {
    value = parseExactJson(scan.hasNaN ? withoutNaN(text) : text, scan.inexact);
  } catch {
    return undefined;
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const frames = items.map(asFrame).filter(frame => frame !== undefined);
  return frames.length === 0 ? undefined : { frames, ...(scan.hasNaN && { oddity: 'nan' }) };
}

function tooMuch({ depth, values }: { readonly depth: number; readonly values: number }): string | undefined {
  if (depth > frameLimits.depth)
    return `It is nested ${depth} levels deep, more than the ${frameLimits.depth} that are read.`;
  if (values > frameLimits.values) return `It has more than the ${frameLimits.values} values that are read.`;
  return undefined;
}

/** An error in place of an answer, read from the two ends of its text; undefined if it is no answer. */
function refused(text: string, code: number, message: string): FrameReading | undefined {
  const id = answeredId({ head: text.slice(0, 1024), tail: text.slice(-256), bytes: text.length });
  const frame = id === undefined ? undefined : asFrame({ jsonrpc: '2.0', id, error: { code, message } });
  return frame && { frames: [frame], oddity: 'unreadable' };
}

function unreadable(text: string, isAwaited: (id: number | string) => boolean): FrameReading | undefined {
  const found = /"jsonrpc"\s*:/.exec(text);
  const start = found === null ? -1 : text.lastIndexOf('{', found.index);
  if (start === -1) return undefined;
  const rest = text.slice(start).trimEnd();
  const reading = refused(rest, unreadableAnswer, `It is no JSON ${placeOf(rest)}.`);
  return reading !== undefined && reading.frames.every(frame => awaits(frame, isAwaited)) ? reading : undefined;
}

/** Characters up to which the place of a fault is looked for. */
const longestSearched = 1024 * 1024;

/** Where a text stops being JSON, as words. The parser's own would quote it, and do not name the place. */
function placeOf(text: string): string {
  if (text.length > longestSearched) return `in its ${text.length} characters`;
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good === text.length ? `at its end, after ${good} characters` : `from character ${good} on`;
}

/** True for what could be the beginning of a JSON text. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /position (\d+)/.exec(message)?.[1];
    return /end of JSON|Unterminated/.test(message) || Number(position) >= text.length;
  }
}

function withoutTerminalPrefix(line: string): string {
  const start = line.indexOf('{"');
  const prefix = start > 0 && start < 1024 ? stripVTControlCharacters(line.slice(0, start)) : 'text';
  return Array.from(prefix).every(character => character <= ' ' || character === '\uFEFF') ? line.slice(start) : '';
}

import { isPrintedBack, scanJson } from './scan-json.ts';

/** A number that keeps the text it was written as, because JavaScript would print another: `7960607143101464577`, `1.0`. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** What the types of TypeScript's library do not have yet (ECMAScript, JSON.parse source text access). */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
}

const json = JSON as unknown as SourceTextJson;

/**
 * `JSON.parse`, but that a number which would be printed in another way than it is written becomes an ExactNumber, which
 * `JSON.stringify` writes as it came. Throws a SyntaxError where the text is no JSON. The second argument saves a scan.
 */
export function parseExactJson(text: string, inexact = scanJson(text).inexact): unknown {
  if (!inexact) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isPrintedBack(source) ? json.rawJSON(source) : value,
  );
}

/** The number as it is written: an ExactNumber where JavaScript would print it in another way. `text` is a JSON number. */
export function exactNumber(text: string): number | ExactNumber {
  return isPrintedBack(text) ? Number(text) : json.rawJSON(text);
}

/** True for a number that keeps its text. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON(value);
}

/** The value of a number of either kind, the nearest that a double has; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isExactNumber(value) ? Number(value.rawJSON) : undefined;
}

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

/** The value with plain numbers, the nearest that doubles have, for whoever calculates with them; itself where nothing is to change. */
export function plainNumbers<Value>(value: Value): Value {
  return plain(value) as Value;
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isExactNumber(value)) return finite(Number(value.rawJSON));
  if (Array.isArray(value)) {
    const items = value.map(plain);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const members = entries.map(([name, member]) => [name, plain(member)] as const);
  return members.every(([, member], index) => member === entries[index]?.[1]) ? value : Object.fromEntries(members);
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE;
}

/** True where two JSON numbers are the same number, however they are written: `1.0` and `1`, not two neighbours of one double. */
export function isSameNumber(left: number | ExactNumber, right: number | ExactNumber): boolean {
  return decimal(left) === decimal(right);
}

/** The digits without zeros at either end, and the power of ten behind them. */
function decimal(value: number | ExactNumber): string {
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`;
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactNumber, isExactNumber, isSameNumber, numberOf, parseExactJson, plainNumbers } from './exact-json.ts';
import { canonicalJson, isJsonObject, type JsonValue } from './json.ts';
import { scanJson } from './scan-json.ts';

/** Numbers as texts, among them all kinds that a double or its printing changes. */
const numberTexts = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/),
  fc.constantFrom('1.0', '-0', '1e400', '1e-400', '9007199254740993', '0.10000000000000000555', '1E5', '100e-2', '0.0'),
);

const jsonTexts = fc.letrec<{ text: string }>(tie => ({
  text: fc.oneof(
    { maxDepth: 4 },
    numberTexts,
    fc.string({ unit: 'binary' }).map(text => JSON.stringify(text)),
    fc.constantFrom('null', 'true', 'false', '"\\\\"', '"1.0"', '"\\""'),
    fc.array(tie('text')).map(items => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), tie('text')))
      .map(members => new Map(members))
      .map(members => `{${[...members].map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  ),
})).text;

describe('JSON whose numbers keep their text (B6)', () => {
  it('is printed as it was written, whatever its numbers are', () => {
    fc.assert(
      fc.property(jsonTexts, text => {
        // Texts may be escaped in several ways; that is no matter of numbers.
        expect(JSON.stringify(parseExactJson(text))).toBe(rewritten(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells a number that keeps its text from an object', () => {
    expect(isJsonObject(exactNumber('9007199254740993'))).toBe(false);
    expect(isExactNumber(exactNumber('9007199254740993'))).toBe(true);
    expect(exactNumber('42')).toBe(42);
    expect(isExactNumber({ rawJSON: '1' })).toBe(false);
    expect(numberOf(exactNumber('1e400'))).toBe(Number.POSITIVE_INFINITY);
    expect(numberOf('7')).toBeUndefined();
  });

  it('becomes plain for whoever calculates, and is the same object where nothing changes', () => {
    const value = parseExactJson('{"a":[1.0,1e400,-1e400],"b":9007199254740993}');
    expect(plainNumbers(value)).toEqual({ a: [1, Number.MAX_VALUE, -Number.MAX_VALUE], b: 9007199254740992 });
    const same = { a: [1, { b: null }] };
    expect(plainNumbers(same)).toBe(same);
  });

  it.each([
    ['1.0', '1', true],
    ['100', '1e2', true],
    ['-0', '0', true],
    ['9007199254740993', '9007199254740992', false],
    ['9007199254740993', '9007199254740993.0', true],
    ['1e400', '1e401', false],
    ['0.1', '0.10000000000000000555', false],
  ])('compares as numbers, not as doubles: %s and %s are the same: %s', (left, right, same) => {
    expect(isSameNumber(exactNumber(left), exactNumber(right))).toBe(same);
  });

  it('has one canonical text, in which such a number is not its neighbour', () => {
    const [one, other] = ['{"b":9007199254740993,"a":1}', '{"a":1,"b":9007199254740992}'].map(
      text => parseExactJson(text) as JsonValue,
    );
    expect(canonicalJson(one ?? null)).toBe('{"a":1,"b":9007199254740993}');
    expect(canonicalJson(other ?? null)).toBe('{"a":1,"b":9007199254740992}');
  });
});

/** The text with its strings as JSON.stringify writes them. */
function rewritten(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, string => JSON.stringify(JSON.parse(string)));
}

describe('scanJson', () => {
  it.each([
    ['[]', 1, false, false],
    ['[[[{}]]]', 4, false, false],
    ['["[[[[", "\\"[[", {"a":"\\\\"}]', 2, false, false],
    ['[1, 2, 12345678]', 1, false, false],
    ['[1.0]', 1, true, false],
    ['["1.0"]', 1, false, false],
    ['{"a":NaN}', 1, false, true],
    ['{"a":-Infinity}', 1, false, true],
    ['{"a":"NaN"}', 1, false, false],
  ])('finds in %s a depth of %d; inexact: %s; NaN: %s', (text, depth, inexact, hasNaN) => {
    expect(scanJson(text)).toMatchObject({ depth, inexact, hasNaN });
  });

  it('takes linear time for a megabyte of the worst', () => {
    for (const part of ['"', '\\', '"\\', '[', '-', '1', 'e', '1.', 'NaN', '"\\\\']) {
      const begun = performance.now();
      scanJson(part.repeat(1_000_000));
      expect(performance.now() - begun).toBeLessThan(2_000);
    }
  });
});

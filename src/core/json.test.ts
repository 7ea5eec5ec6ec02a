import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isJsonObject, type JsonValue } from './json.ts';

// JSON has no -0, so a number that comes back as 0 is the same number.
const json = fc.jsonValue({ noUnicodeString: false }).map(value => JSON.parse(JSON.stringify(value)) as JsonValue);

/** The same value with the members of every object in another order. */
function shuffled(value: JsonValue, order: (keys: string[]) => string[]): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(item => shuffled(item, order));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(order(Object.keys(value)).map(key => [key, shuffled(value[key] ?? null, order)]));
}

describe('canonicalJson', () => {
  it('is the same text for the same value, in whatever order its members stand', () => {
    fc.assert(
      fc.property(json, value => {
        expect(canonicalJson(shuffled(value, keys => keys.toReversed()))).toBe(canonicalJson(value));
        expect(canonicalJson(shuffled(value, keys => keys.toSorted()))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is JSON of the same value, and stays what it is when done again', () => {
    fc.assert(
      fc.property(json, value => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });

  it('tells different values apart', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same =
          JSON.stringify(shuffled(a, keys => keys.toSorted())) === JSON.stringify(shuffled(b, keys => keys.toSorted()));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
      }),
    );
  });

  it.each<[JsonValue, string]>([
    [{ b: 1, a: [true, null, 'x'], aa: {} }, '{"a":[true,null,"x"],"aa":{},"b":1}'],
    [
      { '\u20ac': 1, '\r': 2, '1': 3, '\ud83d\ude00': 4, '\ufb33': 5 },
      '{"\\r":2,"1":3,"\u20ac":1,"\ud83d\ude00":4,"\ufb33":5}',
    ],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [JSON.parse('{"b":1,"__proto__":{"c":2}}') as JsonValue, '{"__proto__":{"c":2},"b":1}'],
    ['\ud800', '"\\ud800"'],
  ])('sorts by UTF-16 code unit, leaves out what is absent, and loses nothing: %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

describe('isJsonObject', () => {
  it('is true for objects only', () => {
    expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
    expect([null, [], 'x', 1, true, undefined].some(isJsonObject)).toBe(false);
  });
});

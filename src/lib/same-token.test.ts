import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameToken } from './same-token.ts';

describe('sameToken', () => {
  it('agrees with === for any two texts, equal or not, of any length', () => {
    const pair = fc.oneof(
      fc.tuple(fc.string(), fc.string()),
      fc.string().map(text => [text, text] as const),
    );
    fc.assert(fc.property(pair, ([given, expected]) => sameToken(given, expected) === (given === expected)));
    expect(sameToken('', '')).toBe(true);
  });
});

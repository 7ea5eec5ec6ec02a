import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from './cut.ts';

describe('cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab😀', 3, 'ab'],
    ['ab😀', 4, 'ab😀'],
    ['😀', 1, ''],
    ['', 0, ''],
    ['abc', 0, ''],
  ])('takes %j to %d units: %j', (text, most, expected) => {
    expect(cut(text, most)).toBe(expected);
  });

  it('counts the ending in', () => {
    expect(cut('abcdef', 4, '…')).toBe('abc…');
    expect(cut('ab😀cd', 4, '…')).toBe('ab…');
    expect(cut('abcd', 4, '…')).toBe('abcd');
  });

  it('keeps every well-formed text well-formed, within its bound, and a beginning of it', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '𝒳', '\n'), maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.nat(24), fc.constantFrom('', '…', '...'), (text, most, ending) => {
        const kept = cut(text, most + ending.length, ending);
        expect(kept.isWellFormed()).toBe(true);
        expect(kept.length).toBeLessThanOrEqual(most + ending.length);
        expect(
          kept === text || (kept.endsWith(ending) && text.startsWith(kept.slice(0, kept.length - ending.length))),
        ).toBe(true);
      }),
    );
  });
});

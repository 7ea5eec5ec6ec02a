import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasSurroundingWhitespace, selector, selectorList } from './selector.ts';

const whitespace = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\v',
  '\f',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u3000',
  '\ufeff',
];

describe('selectors', () => {
  it('R70: are refused with any surrounding Unicode whitespace, never trimmed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...whitespace), fc.constantFrom('img', 'mcp/time:latest', 'a b'), (space, name) => {
        for (const text of [space + name, name + space, space + name + space, space]) {
          expect(hasSurroundingWhitespace(text)).toBe(true);
          expect(() => selector(text)).toThrow(/whitespace/);
        }
      }),
    );
  });

  it('R70: are given back unchanged otherwise, whitespace inside included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), text => {
        fc.pre(text.trim() === text && !hasSurroundingWhitespace(text));
        expect(selector(text)).toBe(text);
      }),
    );
    expect(selector('my server')).toBe('my server');
  });

  it('R70: the message shows whitespace that cannot be seen', () => {
    expect(() => selector('img\u00a0')).toThrow('"img\\u00a0" begins or ends with whitespace');
    expect(() => selector('\ufeffimg')).toThrow('"\\ufeffimg"');
    expect(() => selector('img\n')).toThrow('"img\\n"');
  });

  it('R70: in a comma list every element is checked', () => {
    expect(selectorList('fetch,time')).toEqual(['fetch', 'time']);
    expect(() => selectorList('fetch, time')).toThrow('" time"');
    expect(() => selectorList('fetch,,time')).toThrow('at least one character');
    expect(() => selectorList('')).toThrow('at least one character');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wellFormed, wellFormedJson } from './well-formed.ts';

const half = '\ud83d';

describe('well-formed JSON', () => {
  it('has no lone surrogate in a text, a name or anything inside', () => {
    const value = { [`k${half}`]: [`a${half}`, { [`\udc00x`]: `${half}${half}\udc00` }], ok: '😀' };
    expect(JSON.parse(wellFormedJson(value))).toEqual({
      'k\ufffd': ['a\ufffd', { '\ufffdx': '\ufffd\ud83d\udc00' }],
      ok: '😀',
    });
  });

  it('leaves alone what only looks like one', () => {
    const value = { path: 'C:\\ud83d', twice: '\\\\ud800', text: '\\' };
    expect(wellFormedJson(value)).toBe(JSON.stringify(value));
    expect(wellFormed(value)).toBe(value);
  });

  it('has each name once', () => {
    expect(wellFormedJson({ [`a${half}`]: 1, 'a\udc00': 2 })).toBe('{"a\ufffd":2}');
  });

  it('is what toWellFormed makes of each text, for any JSON', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '\\', 'ud83d', '"', '\ud83d', '\ude00', '😀'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(texts), list => {
        expect(wellFormed(list)).toEqual(list.map(text => text.toWellFormed()));
        expect(wellFormedJson(list)).toBe(JSON.stringify(list.map(text => text.toWellFormed())));
      }),
    );
  });
});

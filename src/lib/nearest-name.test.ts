import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['laod', 'load'],
    ['lod', 'load'],
    ['Load', 'load'],
    ['unlaod', 'unload'],
    ['!mcp-listx', '!mcp-list'],
    ['shutdown', undefined],
    ['', undefined],
  ])('takes %j for %j', (typed, meant) => {
    expect(nearestName(typed, ['unload', 'load', '!mcp-list', 'ls'])).toBe(meant);
  });

  it('S4: costs little, whatever it is given', () => {
    const candidates = Array.from({ length: 100_000 }, (_, index) => `name${index}`.padEnd(90, 'x'));
    const began = performance.now();
    for (let asked = 0; asked < 5; asked += 1) nearestName('y'.repeat(90), candidates);
    nearestName('x'.repeat(1_000_000), ['x'.repeat(999_999)]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('finds a candidate that was typed with one slip, whatever the slip', () => {
    const slip = fc.tuple(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'x'));
    fc.assert(
      fc.property(slip, ([word, where, kind]) => {
        const at = where % (word.length - 1);
        const middle = { drop: '', double: word.slice(at, at + 1).repeat(2), swap: '', x: '#' }[kind];
        const swapped = `${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
        const typed = word.slice(0, at) + (kind === 'swap' ? swapped : middle + word.slice(at + 1));
        expect(nearestName(typed, ['0000000000000000', word])).toBe(word);
      }),
    );
  });
});

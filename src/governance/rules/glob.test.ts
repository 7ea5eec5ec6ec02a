import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { glob, globMatches } from './glob.ts';

describe('glob', () => {
  it.each([
    ['github', 'github', true],
    ['github', 'GitHub', false],
    ['delete_*', 'delete_', true],
    ['delete_*', 'delete_all', true],
    ['*_all', 'delete_all', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*', '', true],
    ['a.c', 'abc', false],
  ])('%s against %s: %s', (pattern, text, matches) => {
    expect(globMatches(glob(pattern), text)).toBe(matches);
  });

  it('agrees with a regular expression on small texts', () => {
    const small = fc.stringMatching(/^[ab*]{0,6}$/);
    fc.assert(
      fc.property(small, fc.stringMatching(/^[ab]{0,8}$/), (pattern, text) => {
        expect(globMatches(glob(pattern), text)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes no time on a pattern that would make a regular expression hang', () => {
    expect(globMatches(glob(`${'a*'.repeat(2000)}b`), 'a'.repeat(100_000))).toBe(false);
  });
});

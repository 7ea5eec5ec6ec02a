import { describe, expect, it } from 'vitest';
import { citedNumbers, citedTests, requirementNumbers } from './requirements.ts';

const numbers = requirementNumbers();
const cited = citedTests();

const range = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

describe('docs/requirements.md', () => {
  it('lists every requirement and scenario once, in order', () => {
    expect(numbers).toEqual([...range('R', 86), ...range('S', 15)]);
  });

  it('has a test for every number', () => {
    expect(numbers.filter(number => !cited.has(number))).toEqual([]);
  });

  it('knows every number that a test cites', () => {
    const known = new Set(numbers);
    expect([...cited.keys()].filter(number => !known.has(number))).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['R50: a cancelled start', ['R50']],
    ['R57, R66: a DID', ['R57', 'R66']],
    ['R51-R53: budgets', ['R51', 'R52', 'R53']],
    ['R1, S8–S10 and R4: x', ['R1', 'S8', 'S9', 'S10', 'R4']],
    ['negotiation over HTTP (R44, R46)', ['R44', 'R46']],
    ['R2D2: a droid', []],
    ['see R50', []],
    ['AR50: x', []],
  ])('reads the citations of a title: %s', (title, expected) => {
    expect(citedNumbers(title)).toEqual(expected);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { citedNumbers, citedTests, landedIssues, requirementsIn, requirementsPage } from './requirements.ts';

const page = readFileSync(requirementsPage, 'utf8');
const requirements = requirementsIn(page);
const cited = citedTests();
const issues = ['Foundations', 'Docker', 'Governed dispatch', 'Cortex', 'Catalog and gateway'];

const range = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

describe('docs/requirements.md', () => {
  it('lists every requirement and scenario once, in order, with an issue that owes it', () => {
    expect(requirements.map(requirement => requirement.number)).toEqual([...range('R', 86), ...range('S', 15)]);
    const owners = new Set(requirements.flatMap(requirement => requirement.owners));
    expect([...owners].filter(owner => !issues.includes(owner))).toEqual([]);
    expect(landedIssues(page).filter(issue => !issues.includes(issue))).toEqual([]);
  });

  it('lists the tests that cite each of them; if not: npx node scripts/requirements.js', () => {
    const listed = Object.fromEntries(requirements.map(({ number, listed: files }) => [number, files]));
    const actual = Object.fromEntries(requirements.map(({ number }) => [number, cited.get(number) ?? []]));
    expect(listed).toEqual(actual);
  });

  it('has a test for every number that a landed issue owes', () => {
    const landed = landedIssues(page);
    const untested = requirements
      .filter(({ owners, number }) => owners.some(owner => landed.includes(owner)) && !cited.has(number))
      .map(({ number }) => number);
    expect(untested).toEqual([]);
  });

  it('knows every number that a test cites', () => {
    const known = new Set(requirements.map(requirement => requirement.number));
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
  ])('reads the citations of a title: %s', (title, numbers) => {
    expect(citedNumbers(title)).toEqual(numbers);
  });
});

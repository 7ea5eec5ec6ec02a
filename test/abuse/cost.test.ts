import { describe, expect, it } from 'vitest';
import { conditionHolds } from '../../src/governance/rules/argument-condition.ts';
import { glob, globMatches } from '../../src/governance/rules/glob.ts';
import { percentDecoded, readPlace } from '../../src/governance/rules/place-readings.ts';
import { canonicalPattern, parsePattern, readPattern } from '../../src/governance/rules/rule-pattern.ts';
import { fullEffort } from '../../src/governance/rules/text-comparison.ts';
import { received } from '../../src/schema/argument-snapshot.ts';
import { queryTerms, searchTerms } from '../../src/search/search-terms.ts';
import { maskTexts } from '../../src/secrets/mask-texts.ts';
import { createRedactor } from '../../src/secrets/redact.ts';

const redactor = createRedactor();
redactor.learn([
  { name: 'A_TOKEN', value: 'aaaaaaaaab' },
  { name: 'PIN', value: '1234' },
  { name: 'SLASHES', value: '//////x' },
]);

function holds(condition: string): (text: string) => unknown {
  const [read] = readPattern(`a.b when ${condition}`).conditions;
  return text => read && conditionHolds(read, { at: text }, fullEffort());
}

/** Everything that a text of a stranger's goes through on its way to a decision, a record or a screen. */
const walks: Readonly<Record<string, (text: string) => unknown>> = {
  'masking a text': text => redactor.text(text),
  'masking a value': text => redactor.json({ a: text, [text.slice(0, 100_000)]: 1 }),
  'showing a value': text => redactor.shown([text, text], 65_536),
  'masking texts': text => maskTexts({ a: [text] }, redactor),
  'a condition about a path': holds('at startsWith /srv/'),
  'a condition about a URL': holds('at = https://evil.com/'),
  'a condition about a part': holds('at contains /.git/'),
  'a condition about a host': holds('at endsWith .evil.com'),
  'reading a place': text => readPlace(text),
  'percent signs': text => percentDecoded(text),
  'a glob': text => globMatches(glob('*a*b*/*.x*y*'), text),
  'a pattern': text => parsePattern(text.slice(0, 50_000)),
  'a spelling of a pattern': text => canonicalPattern(text.slice(0, 50_000)),
  'copying arguments': text => received({ a: [text, { [text.slice(0, 100_000)]: text }] }),
  'words of a query': text => queryTerms(text),
  'words of a text': text => searchTerms(text.slice(0, 100_000)),
};

/** What some walk might begin anew at every step of. */
const pieces = [
  ...[
    'a',
    'A',
    ' ',
    '\n',
    '\0',
    'é',
    '\u0301',
    'ﷺ',
    '漢',
    '\ud83d',
    '😀',
    '1',
    '"',
    '\\',
    '\\"',
    '/',
    '//',
    '/./',
    '/../',
    '../',
  ],
  ...[
    '..',
    './',
    'a/',
    '%',
    '%2',
    '%2f',
    '%25',
    '%c3',
    '%C3%A9',
    '%252525',
    '@',
    'a@',
    ':',
    '::$',
    '::$a',
    '[',
    '{',
    '{"',
    '["',
    '","',
  ],
  ...[
    'https://',
    'https://a@',
    'https:',
    'file:',
    'file:///',
    '\\\\',
    '\\\\?\\',
    '?',
    '?a=',
    '&code=',
    '#',
    '.',
    'a.',
    '. ',
    'xn--',
    'aaaaaaaaa',
  ],
  ...[
    'eyJ-',
    'token=',
    'token="',
    '-----BEGIN PRIVATE KEY-----',
    'Bearer ',
    'when ',
    'a.b when a = ',
    ' in [',
    '*',
    '"a" ',
    '__proto__',
  ],
];

describe('S3, S10: what a stranger writes', () => {
  it.each(Object.entries(walks))(
    '%s takes time in proportion to the text, whatever it repeats',
    (_, walk) => {
      const slow: string[] = [];
      for (const piece of pieces) {
        const text = (length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
        const time = (length: number) => {
          const given = text(length);
          const began = performance.now();
          walk(given);
          return performance.now() - began;
        };
        time(1_000);
        const small = Math.min(time(25_000), time(25_000));
        const large = time(400_000);
        // Sixteen times the text. What grows with the square takes 256 times as long.
        if (large > Math.max(60 * small, 1_500))
          slow.push(`${JSON.stringify(piece)}: ${Math.round(small)} ms, then ${Math.round(large)} ms`);
      }
      expect(slow).toEqual([]);
    },
    240_000,
  );

  it('S10: three rules about paths decide about 60,000 paths, settled or not, without holding anybody up', () => {
    const rules = ['at startsWith /srv/', 'at contains /.git/', 'at = /etc/passwd'].map(
      text => readPattern(`a.b when ${text}`).conditions,
    );
    for (const path of ['/srv/project/src/file.ts', '/srv/./a/../b', 'https://evil.com/x', '%2e%2e/x']) {
      const began = performance.now();
      const at = Array.from({ length: 60_000 }, (_, index) => `${path}${index}`);
      for (const conditions of rules)
        for (const condition of conditions) conditionHolds(condition, { at }, fullEffort());
      expect(performance.now() - began).toBeLessThan(10_000);
    }
  }, 60_000);

  it('what is too much to be looked at is unclear, and opens no door', () => {
    const [condition] = readPattern('a.b when at startsWith /srv/').conditions;
    if (condition === undefined) throw new Error('there is one');
    const at = Array.from({ length: 60_000 }, () => '/srv/./a');
    expect(conditionHolds(condition, { at }, fullEffort())).toBe('unclear');
  });
});

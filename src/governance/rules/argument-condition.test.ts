import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../core/json.ts';
import { conditionHolds } from './argument-condition.ts';
import { readPattern } from './rule-pattern.ts';
import { fullEffort } from './text-comparison.ts';

function holds(text: string, args: JsonValue | undefined) {
  const [condition] = readPattern(`a.b when ${text}`).conditions;
  if (condition === undefined) throw new Error('the pattern has a condition');
  return conditionHolds(condition, args, fullEffort());
}

describe('conditions on arguments', () => {
  it.each<[string, JsonValue | undefined, string]>([
    ['amount <= 100', { amount: 100 }, 'yes'],
    ['amount <= 100', { amount: 100.5 }, 'no'],
    ['amount > 100', { amount: '500' }, 'unclear'],
    ['amount > 100', {}, 'unclear'],
    ['amount > 100', undefined, 'unclear'],
    ['amount not > 100', { amount: 5 }, 'yes'],
    ['branch = main', { branch: 'main' }, 'yes'],
    ['branch = main', { branch: 'Main' }, 'no'],
    ['branch != main', { branch: 'dev' }, 'yes'],
    ['branch in [main, dev]', { branch: 'dev' }, 'yes'],
    ['branch in []', { branch: 'dev' }, 'no'],
    ['zip = 12345', { zip: '12345' }, 'yes'],
    ['zip = 12345', { zip: 12345 }, 'yes'],
    ['force = true', { force: true }, 'yes'],
    ['force = true', { force: { not: 'scalar' } }, 'unclear'],
    ['note = null', { note: null }, 'yes'],
    ['text contains rm', { text: 'rm -rf' }, 'yes'],
    ['name endsWith .env', { name: 'x.env' }, 'yes'],
    ['options.deep.force = true', { options: { deep: { force: true } } }, 'yes'],
    ['"options.force" = true', { 'options.force': true }, 'yes'],
    ['constructor = 1', {}, 'unclear'],
    ['labels contains urgent', { labels: ['bug', 'urgent'] }, 'yes'],
    ['labels contains urgent', { labels: ['not-urgent'] }, 'unclear'],
    ['labels contains urgent', { labels: [] }, 'no'],
    ['labels = bug', { labels: ['bug', 'bug'] }, 'yes'],
    ['labels = bug', { labels: ['bug', 'other'] }, 'unclear'],
    ['edits.size < 5', { edits: [{ size: 1 }, { size: 2 }] }, 'yes'],
    ['edits.size < 5', { edits: [{ size: 1 }, { size: 9 }] }, 'unclear'],
    ['edits.size < 5', { edits: [] }, 'unclear'],
  ])('%s on %j: %s', (text, args, truth) => {
    expect(holds(text, args)).toBe(truth);
  });

  it.each([
    ['/srv/data.txt', 'yes'],
    ['/srv/a/../b', 'yes'],
    ['/srv', 'unclear'],
    ['/srv/../etc/passwd', 'unclear'],
    ['/srv/a/../../etc/passwd', 'unclear'],
    ['/srv/%2e%2e/etc/passwd', 'unclear'],
    ['/srv/%252e%252e/etc/passwd', 'unclear'],
    ['/srv/..\\etc\\passwd', 'unclear'],
    ['/srv/\0/../../etc', 'unclear'],
    ['/SRV/data.txt', 'unclear'],
    ['//srv/data.txt', 'unclear'],
    ['file:///srv/data.txt', 'unclear'],
    ['srv/data.txt', 'unclear'],
    ['~/srv', 'unclear'],
    ['/srv-old/data.txt', 'no'],
    ['/etc/passwd', 'no'],
    ['plain', 'no'],
  ])('path startsWith /srv/ resists detours: %j is %s', (path, truth) => {
    expect(holds('path startsWith /srv/', { path })).toBe(truth);
  });

  it.each([
    ['path startsWith /srv', '/srv-old/x', 'unclear'],
    ['path startsWith /', '/etc', 'yes'],
    ['path = /etc/passwd', '/etc/./passwd', 'unclear'],
    ['path endsWith .env', '/app/.env', 'yes'],
    ['path endsWith .env', '/app/.env/.', 'unclear'],
    ['path contains /.git/', '/app/.github/x', 'no'],
    ['path contains /.git/', '/app/.git', 'unclear'],
    ['path contains /.git/', '/app/.git/config', 'yes'],
    ['url startsWith https://api.example.com/', 'https://api.example.com/v1', 'yes'],
    ['url startsWith https://api.example.com', 'https://api.example.com.evil.org/', 'unclear'],
    ['url startsWith https://api.example.com', 'https://api.example.com@evil.org/', 'unclear'],
    ['url startsWith https://evil.org/', 'https://ev\til.org/', 'unclear'],
    ['path startsWith C:\\srv\\', 'C:\\srv\\x', 'yes'],
    ['path startsWith C:\\srv\\', 'c:/SRV/x', 'unclear'],
    ['path startsWith C:\\srv\\', 'C:\\srv\\..\\Windows', 'unclear'],
  ])('%s on %j: %s', (text, value, truth) => {
    const name = text.split(' ')[0] ?? '';
    expect(holds(text, { [name]: value })).toBe(truth);
  });

  it('never says a path starts with /srv/ when it leads elsewhere, nor that it does not when it leads there', () => {
    const part = fc.constantFrom('.', '..', '', 'srv', 'etc', 'a', '%2e%2e', '..%2f', 'SRV');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const path = `/${parts.join('/')}`;
        const leadsTo = posix.normalize(decodeURIComponent(path));
        const inside = leadsTo === '/srv' || leadsTo.startsWith('/srv/');
        expect(holds('path startsWith /srv/', { path })).not.toBe(inside ? 'no' : 'yes');
      }),
      { numRuns: 2000 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../core/json.ts';
import { knownSecrets } from './known-secrets.ts';
import { questionText } from './question-text.ts';

const known = knownSecrets();
known.learn([{ name: 'GITHUB_TOKEN', value: 'canary-9f81' }]);

function shown(value: JsonValue, more: { limit?: number; unfolded?: boolean } = {}) {
  return questionText(value, known, { limit: 65_536, unfolded: false, ...more });
}

describe('S8: what the person reads who decides', () => {
  it('hides a known secret, and says which one it is', () => {
    const found = shown({ command: 'curl -H "X: canary-9f81"', 'canary-9f81': ['canary-9f81'] });
    expect(found.text).toBe(
      '{"command":"curl -H \\"X: [secret GITHUB_TOKEN]\\"","[secret GITHUB_TOKEN]":["[secret GITHUB_TOKEN]"]}',
    );
    expect(found.folded).toBe(0);
  });

  it.each<[JsonValue, string, number]>([
    [{ command: 'ls # -----BEGIN PRIVATE KEY-----\n; rm -rf /' }, 'rm -rf /', 1],
    [
      { primary_key: { command: 'rm -rf /', deep: [1, true] } },
      '{"primary_key":{"command":"[masked: 8 characters]","deep":["[masked: 1 character]",true]}}',
      2,
    ],
    [{ next_token: 'abc', path: '/etc' }, '"path":"/etc"', 1],
    [['--token', 'abc', 'x'], '["--token","[masked: 3 characters]","x"]', 1],
    [{ command: 'password=x; rm -rf /' }, 'rm -rf /', 1],
    [{ command: `token='${'a; rm -rf / #'}' ; echo` }, 'echo', 1],
  ])('of %j it leaves nothing out unsaid', (value, part, folded) => {
    const found = shown(value);
    expect(found.text).toContain(part);
    expect(found).toMatchObject({ folded, cut: 0 });
    expect(JSON.parse(shown(value, { unfolded: true }).text)).toEqual(value);
  });

  it('says how much is cut off, and cuts no character in two', () => {
    const found = shown({ a: '😀'.repeat(100) }, { limit: 50 });
    expect(found.text.length).toBeLessThan(51);
    expect(found.text.isWellFormed()).toBe(true);
    expect(found.text.length - 1 + found.cut).toBe(JSON.stringify({ a: '😀'.repeat(100) }).length);
  });
});

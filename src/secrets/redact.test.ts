import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../core/json.ts';
import { createRedactor } from './redact.ts';

/** Made for this test; put together at run time so that no scanner takes them for real ones. */
const shapes: readonly string[] = [
  ['sk-', 'proj4f9aKq81Lm2Zx7Wd'],
  ['sk_live_', '51Hq8aZtYw3NcVbR6'],
  ['ghp_', 'k3J9sQ0vXz7YbT2mLr5WcN8d'],
  ['gho_', 'p4W8eR1tYu6IoP3aSd7FgH2j'],
  ['github_pat_', '11ABCDE0Y0aBcDeFgHiJ_kLmNoP'],
  ['glpat-', 'Zx81yQwErTyUiOpAsDfG'],
  ['xoxb-', '2519483-8273645-aBcDeF'],
  ['AKIA', 'J7Q2XNWZP4LTE5RB'],
  ['AIza', 'SyD9k2Lm4Nq6Rs8Tu0Vw2Xy4Za6Bc8De'],
  ['ya29.', 'a0AfH6SMBx3QwErTyUiOp'],
  ['npm_', 'q8W3eR7tY2uI9oP4aS6dF1gH5jK0lZ'],
  ['pypi-', 'AgEIcHlwaS5vcmcCJDk4MzQ1'],
  ['hf_', 'QwErTyUiOpAsDfGhJkLzXcVbNm'],
  ['SG.', 'ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr'],
  ['shpat_', 'c9d8e7f6a5b4c3d2e1f0a9b8'],
  ['dop_v1_', 'f3e2d1c0b9a8f7e6d5c4b3a2'],
  ['AGE-SECRET-KEY-1', 'QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'],
  ['eyJhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiJjYW5hcnkifQ.s5cRfT7yQ1'],
  ['-----BEGIN PRIVATE ', 'KEY-----\nMIIEvQIBADANBgkqh\n-----END PRIVATE KEY-----'],
  ['123456789:', 'AAF4k9sQ0vXz7YbT2mLr5WcN8dE3hJ6pU'],
].map(parts => parts.join(''));

const plainWords = fc.constantFrom('path', 'query', 'items', 'note', 'options');
const secretNames = fc.constantFrom(
  'password',
  'apiKey',
  'x-api-key',
  'Authorization',
  'client_secret',
  'user_ssn',
  'authToken',
  'dbPwd',
);

/** Wraps a value in anything that a call may hold it in: members, lists, JSON texts, prose around it. */
const wrapping = fc.array(fc.tuple(fc.constantFrom('member', 'list', 'json', 'nested json'), plainWords), {
  maxLength: 6,
});
function wrapped(value: JsonValue, layers: readonly (readonly [string, string])[]): JsonValue {
  return layers.reduce<JsonValue>((inner, [how, name]) => {
    if (how === 'member') return { [name]: inner, other: 1 };
    if (how === 'list') return ['before', inner];
    if (how === 'json') return JSON.stringify({ [name]: inner });
    return { [name]: ` ${JSON.stringify([JSON.stringify(inner)])}` };
  }, value);
}

describe('redact', () => {
  it('S15: 20 shapes of secrets are masked in any argument, list, prose or JSON inside JSON', () => {
    expect(shapes.length).toBe(20);
    fc.assert(
      fc.property(fc.constantFrom(...shapes), wrapping, fc.boolean(), (secret, layers, inProse) => {
        const shown = createRedactor().shown(wrapped(inProse ? `use ${secret} for it` : secret, layers), 100_000);
        expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1).slice(-12));
      }),
      { numRuns: 500 },
    );
  });

  it('S15: whatever stands under a secret name is masked, at every depth', () => {
    const value = fc.oneof(
      fc.constant('canary5f1c'),
      fc.constant({ deep: ['canary5f1c'] }),
      fc.constant(['canary5f1c']),
    );
    fc.assert(
      fc.property(secretNames, value, wrapping, (name, secret, layers) => {
        const shown = createRedactor().shown(wrapped({ [name]: secret }, layers), 100_000);
        expect(shown).not.toContain('canary5f1c');
      }),
      { numRuns: 500 },
    );
  });

  it('S15: a known value is masked wherever and however it appears', () => {
    const secret = fc.string({
      minLength: 6,
      maxLength: 30,
      unit: fc.constantFrom(...Array.from('abcXYZ019_/+"\\ %é\n')),
    });
    const forms = fc.constantFrom<(text: string) => string>(
      text => text,
      text => encodeURIComponent(text),
      text => Buffer.from(text).toString('base64'),
      text => Buffer.from(`user:${text}`).toString('base64'),
      text => Buffer.from(`me:${text}!`).toString('base64url'),
      text => Buffer.from(text).toString('hex'),
      text => JSON.stringify(text),
    );
    fc.assert(
      fc.property(secret, forms, wrapping, (value, form, layers) => {
        fc.pre(value.trim() === value);
        const redactor = createRedactor();
        redactor.learn([{ name: 'A_KEY', value: value }]);
        const plain = createRedactor();
        const carrier = wrapped(`<${form(value)}>`, layers);
        expect(redactor.shown(carrier, 100_000)).toContain('[masked]');
        expect(redactor.shown(carrier, 100_000)).not.toBe(plain.shown(carrier, 100_000));
      }),
      { numRuns: 1000 },
    );
  });

  it('S15: masks before it cuts, so that no half of a secret is left at the edge', () => {
    const redactor = createRedactor();
    redactor.learn([{ name: 'A_KEY', value: 'sk-123' }]);
    for (let limit = 2; limit < 60; limit += 1) {
      expect(redactor.shown({ note: 'the key is sk-123, keep it' }, limit)).not.toMatch(/sk-/);
    }
    expect(redactor.shown({ a: 'x'.repeat(50) }, 20)).toBe(`{"a":"${'x'.repeat(13)}…`);
  });

  it('S15: of a text too long to be looked at whole, no half secret is left at the edge', () => {
    const secret = Array.from({ length: 1000 }, (_, index) => `s${index * 7919}`).join('-');
    const redactor = createRedactor();
    redactor.learn([{ name: 'A_KEY', value: secret }]);
    for (let offset = 0; offset < secret.length * 2; offset += 997) {
      const shown = redactor.shown({ note: `${'y'.repeat(offset)}${secret.repeat(20)}` }, 40_000);
      expect(shown.length).toBeLessThan(40_001);
      expect(shown).not.toMatch(/s\d{4,}/);
    }
    expect(redactor.shown({ note: 'z'.repeat(1_000_000) }, 2048).length).toBe(2048);
  });

  it.each<[JsonValue, JsonValue]>([
    [
      { token: null, secret: true, password: '' },
      { token: null, secret: true, password: '' },
    ],
    [{ pin: 1234 }, { pin: '[masked]' }],
    [
      ['--token', 'abc', '--verbose', 'x'],
      ['--token', '[masked]', '--verbose', 'x'],
    ],
    [
      { name: 'Authorization', value: 'abc' },
      { name: 'Authorization', value: '[masked]' },
    ],
    [
      { key: 'color', value: 'red' },
      { key: 'color', value: 'red' },
    ],
    [{ key: 'abc' }, { key: '[masked]' }],
    ['Authorization: Bearer abcdef123', 'Authorization: Bearer [masked]'],
    ['https://user:hunter2@host/x', 'https://user:[masked]@host/x'],
    ['https://host/x?access_token=abc&page=2', 'https://host/x?access_token=[masked]&page=2'],
    ['log: password="two words", next', 'log: password="[masked]", next'],
    ['half of {"apiKey":"abc def","n":1', 'half of {"apiKey":"[masked]","n":1'],
    ['half of {\\"apiKey\\":\\"abc def\\",\\"n\\":1', 'half of {\\"apiKey\\":\\"[masked]\\",\\"n\\":1'],
    ['{"a":1,  "b":"plain"}', '{"a":1,  "b":"plain"}'],
    [
      { monkey: 'banana', keywords: ['a'], author: 'me', className: 'x' },
      { monkey: 'banana', keywords: ['a'], author: 'me', className: 'x' },
    ],
  ])('%j is shown as %j', (value, shown) => {
    expect(createRedactor().json(value)).toEqual(shown);
  });

  it('masks a short known value only where it stands alone', () => {
    const redactor = createRedactor();
    redactor.learn(['1234', 'x', ''].map(value => ({ name: 'A_PIN', value })));
    expect(redactor.text('1234, a1234b, {"n":1234}')).toBe('[masked], a1234b, {"n":[masked]}');
    expect(redactor.json({ n: 1234, m: 12345 })).toEqual({ n: '[masked]', m: 12345 });
  });

  it('finds a known value even where duplicate members hide it from a parser', () => {
    const redactor = createRedactor();
    redactor.learn([{ name: 'A_KEY', value: 'canary5f1c' }]);
    expect(redactor.text('{"a":"canary5f1c","a":"x"}')).not.toContain('canary5f1c');
    expect(redactor.text('{"password":"canary5f1d","password":null}')).not.toContain('canary5f1d');
  });

  it('does not hang or overflow on hostile input', () => {
    let nested: JsonValue = 'x';
    for (let depth = 0; depth < 5_000; depth += 1) nested = [nested];
    const redactor = createRedactor();
    expect(redactor.shown(nested, 1_000)).toContain('[masked]');
    const hostile = ['-----BEGIN PRIVATE KEY-----', 'token=', 'password="', '://a:', 'eyJaaaaaaaa.', 'Bearer '];
    for (const text of hostile) redactor.text(text.repeat(20_000));
    redactor.text('a'.repeat(1_000_000));
  });
});

import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';
import { mask, maskShapes } from './secret-shapes.ts';

describe('maskShapes', () => {
  it.each([
    [
      'S8: hides nothing behind a mere beginning',
      'ls # -----BEGIN PRIVATE KEY-----\n; rm -rf /',
      `ls # ${mask}; rm -rf /`,
    ],
    [
      'takes a whole key with its headers',
      `a -----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE/+=\n-----END RSA PRIVATE KEY----- b`,
      `a ${mask} b`,
    ],
    [
      'takes a key in which something else stands, up to its end',
      '-----BEGIN PRIVATE KEY-----\n> MIIE\n-----END PRIVATE KEY----- b',
      `${mask} b`,
    ],
    [
      'takes a key of which the end was cut off',
      'x -----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOY\nAbc',
      `x ${mask}`,
    ],
    [
      'takes two keys',
      '-----BEGIN PRIVATE KEY-----\nMII\n-----BEGIN PRIVATE KEY-----\nMIJ\n-----END PRIVATE KEY-----',
      mask + mask,
    ],
    ['takes no token without its second part', 'eyJhbGciOiJIUzI1NiJ9 alone', 'eyJhbGciOiJIUzI1NiJ9 alone'],
    ['takes a token behind what is none', 'eyJhbGciOiJ.x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ', `eyJhbGciOiJ.x ${mask}`],
  ])('%s', (_, text, masked) => {
    expect(maskShapes(text)).toBe(masked);
  });

  /** What each pattern begins with, and whatever makes one begin again at every step. */
  const prefixes = [
    ...[
      'eyJ',
      'eyJ-',
      'eyJaaaaaaaa.',
      'eyJaaaaaaaa-eyJaaaaaaaa.a',
      'sk-',
      'sk-a',
      'pk_sk-',
      'ghp_',
      'github_pat_',
      'xoxb-',
    ],
    ...['AKIA', 'AIza', 'ya29.', 'SG.', 'SG.aaaaaaaaaaaa.', 'AGE-SECRET-KEY-1', '12345678:AA', '1', '123456789012:'],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN ',
      '-----BEGIN A ',
      '-----BEGIN PRIVATE KEY-----\nA-B: c\n',
      '-----END PRIVATE KEY-----',
    ],
    ...['Bearer ', 'bearer', 'basic  ', '://', '://a:', '://a:b', ':', '://:@', 'https://a:'],
    ...[
      'token',
      'token=',
      'token="',
      "token=\\\\\\\\'",
      'secret: ',
      'passwordpassword',
      'token      ',
      'authorization:bearer ',
    ],
    ...['?', '?a=', '&code=', '?aaaaaaaa', 'access_key ', 'api key', '[', '{"', '"', '\\', '%', ' ', '\n', 'é', '\0'],
  ];

  function cost(run: () => unknown): number {
    const begin = performance.now();
    run();
    return performance.now() - begin;
  }

  it.each(prefixes)('S3: takes time in proportion to a text of %j over and over', prefix => {
    const text = (length: number) => prefix.repeat(Math.ceil(length / prefix.length)).slice(0, length);
    const redactor = createRedactor();
    for (const run of [maskShapes, (value: string) => redactor.text(value)]) {
      run(text(10_000));
      const [small, large] = [text(125_000), text(1_000_000)];
      const short = Math.min(...Array.from({ length: 3 }, () => cost(() => run(small))));
      // Eight times the text; a quadratic one takes 64 times as long. A few milliseconds are noise on any machine.
      expect(cost(() => run(large))).toBeLessThan(Math.max(20 * short, 250));
    }
  });
});

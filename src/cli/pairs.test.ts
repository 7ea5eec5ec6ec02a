import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { headerPairs, pairs } from './pairs.ts';

describe('flags that take a name and a value', () => {
  it('split at the first equals sign', () => {
    expect(pairs('--env', ['A=b=c', 'EMPTY='])).toEqual({ A: 'b=c', EMPTY: '' });
  });

  it('take headers as curl does, and as NAME=VALUE', () => {
    expect(headerPairs('--header', ['Authorization: Bearer a=b', 'X-Key=a:b', 'X-Empty:'])).toEqual({
      Authorization: 'Bearer a=b',
      'X-Key': 'a:b',
      'X-Empty': '',
    });
  });

  it('never repeat what was given in an error: it may be a secret', () => {
    const messageOf = (read: () => unknown): string => {
      try {
        read();
      } catch (error) {
        if (error instanceof LongshoreError) return error.message;
        throw error;
      }
      return '';
    };
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{12,40}$/), secret => {
        for (const word of [secret, `=${secret}`, `:${secret}`]) {
          expect(messageOf(() => headerPairs('--header', [word]))).not.toContain(secret);
          expect(messageOf(() => pairs('--env', [word.replace(':', '=')]))).toMatch(/^--env takes NAME=VALUE/);
          expect(messageOf(() => pairs('--env', [word.replace(':', '=')]))).not.toContain(secret);
        }
      }),
    );
  });
});

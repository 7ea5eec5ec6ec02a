import { describe, expect, it } from 'vitest';
import { duration } from './duration.ts';

describe('duration', () => {
  it('reads milliseconds, seconds, minutes and hours, and takes a bare number as seconds', () => {
    expect(['500ms', '30s', '5m', '1h', '2', '1.5s'].map(duration)).toEqual([
      500, 30_000, 300_000, 3_600_000, 2_000, 1_500,
    ]);
  });

  it('refuses everything else and says what is allowed', () => {
    for (const text of ['', '0', 'soon', '-1s', '5 m', '1d', 'NaN']) {
      expect(() => duration(text)).toThrow('500ms, 30s, 5m or 1h');
    }
  });
});

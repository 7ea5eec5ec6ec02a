import { expect, it } from 'vitest';
import { Backoff } from './backoff.ts';

it('doubles its waits up to the longest, and begins anew after a reset', () => {
  const backoff = new Backoff(1_000, 5_000);
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  backoff.reset();
  expect(backoff.next()).toBe(1_000);
});

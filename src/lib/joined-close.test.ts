import { expect, it } from 'vitest';
import { joinedClose } from './joined-close.ts';

it('R54: callers of a close join one run, a failed one may be repeated, and after a good one nothing runs', async () => {
  let runs = 0;
  const close = joinedClose(() => (++runs === 1 ? Promise.reject(new Error('not yet')) : Promise.resolve(runs)));
  const [first, joined] = await Promise.allSettled([close(), close()]);
  expect([first.status, joined.status, runs]).toEqual(['rejected', 'rejected', 1]);
  expect(await close()).toBe(2);
  expect(await close()).toBe(2);
});

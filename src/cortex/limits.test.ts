import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateLimit } from './limits.ts';

function clockAt(time: { now: number }) {
  return { now: () => time.now, sleep: () => Promise.resolve() };
}

describe('a rate limit', () => {
  it('never lets more through than the burst and what time has given since, and never less', () => {
    // One a millisecond, so that the model counts whole ones.
    const steps = fc.array(fc.record({ wait: fc.nat(6), asks: fc.nat(8) }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 10 }), (plan, burst) => {
        const time = { now: 5_000 };
        const take = rateLimit({ perSecond: 1_000, burst }, clockAt(time));
        let left = burst;
        for (const { wait, asks } of plan) {
          time.now += wait;
          left = Math.min(burst, left + wait);
          const passed = Array.from({ length: asks }, () => take('key')).filter(seconds => seconds === 0).length;
          expect(passed).toBe(Math.min(asks, left));
          left -= passed;
        }
      }),
    );
  });

  it('tells how long to wait, and that is enough', () => {
    const time = { now: 0 };
    const take = rateLimit({ perSecond: 0.25, burst: 1 }, clockAt(time));
    expect(take('key')).toBe(0);
    time.now += 500;
    const wait = take('key');
    expect(wait).toBe(4);
    time.now += wait * 1000;
    expect(take('key')).toBe(0);
  });

  it('knows keys apart, forgets the oldest of very many, and takes no harm from a clock that goes back', () => {
    const time = { now: 10_000 };
    const take = rateLimit({ perSecond: 1, burst: 1 }, clockAt(time));
    expect([take('a'), take('b'), take('a')]).toEqual([0, 0, 1]);
    time.now = 0;
    expect(take('a')).toBe(1);
    for (let key = 0; key < 10_000; key++) take(`k${key}`);
    expect(take('a')).toBe(0);
  });
});

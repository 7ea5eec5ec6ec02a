import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { watchClockJumps } from './clock-jumps.ts';

describe('a jump of the clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is told once, with how long the machine slept', () => {
    const jumps: number[] = [];
    using _watch = watchClockJumps(systemClock, milliseconds => jumps.push(milliseconds));
    vi.advanceTimersByTime(60_000);
    expect(jumps).toEqual([]);
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(60_000);
    expect(jumps).toEqual([3_600_000]);
  });

  it('is no delay of a busy machine, and no clock that is put back', () => {
    const jumps: number[] = [];
    using _watch = watchClockJumps(systemClock, milliseconds => jumps.push(milliseconds));
    vi.setSystemTime(Date.now() + 10_000);
    vi.advanceTimersByTime(5_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(5_000);
    vi.advanceTimersByTime(5_000);
    expect(jumps).toEqual([]);
  });

  it('is not looked for any more once its watch is disposed', () => {
    const jumps: number[] = [];
    const watch = watchClockJumps(systemClock, milliseconds => jumps.push(milliseconds));
    watch[Symbol.dispose]();
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(60_000);
    expect([jumps, vi.getTimerCount()]).toEqual([[], 0]);
  });
});

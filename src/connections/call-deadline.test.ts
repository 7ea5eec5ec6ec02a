import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallDeadline, callDeadline, type Expiry } from './call-deadline.ts';

describe('the two limits of a call', () => {
  let expired: Expiry[];
  const begin = (idle: number, total: number): CallDeadline =>
    callDeadline(idle, total, expiry => expired.push(expiry));

  beforeEach(() => {
    vi.useFakeTimers();
    expired = [];
  });
  afterEach(() => vi.useRealTimers());

  it('fires the idle limit after that long without progress', () => {
    begin(60, 900);
    vi.advanceTimersByTime(59);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([{ limit: 'idle', after: 60 }]);
  });

  it('begins the idle limit anew with every progress, and never the total limit', () => {
    const deadline = begin(60, 300);
    for (let elapsed = 50; elapsed < 300; elapsed += 50) {
      vi.advanceTimersByTime(50);
      deadline.progress();
    }
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(expired).toEqual([{ limit: 'total', after: 300 }]);
  });

  it('fires once, and leaves no timer', () => {
    begin(60, 60);
    vi.advanceTimersByTime(10_000);
    expect(expired).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stands still while paused; then the idle limit is fresh and the total limit goes on', () => {
    const deadline = begin(60, 100);
    vi.advanceTimersByTime(50);
    const resume = deadline.pause();
    vi.advanceTimersByTime(100_000);
    deadline.progress();
    resume();
    vi.advanceTimersByTime(49);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([{ limit: 'total', after: 100 }]);
  });

  it('stands still until the last of several pauses is over', () => {
    const deadline = begin(60, 900);
    const first = deadline.pause();
    const second = deadline.pause();
    first();
    first();
    vi.advanceTimersByTime(10_000);
    expect(expired).toEqual([]);
    second();
    vi.advanceTimersByTime(60);
    expect(expired).toEqual([{ limit: 'idle', after: 60 }]);
  });

  it('is over when disposed, even if a pause ends later', () => {
    const deadline = begin(60, 900);
    const resume = deadline.pause();
    deadline[Symbol.dispose]();
    resume();
    vi.advanceTimersByTime(10_000);
    expect(expired).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PausableTimer } from './pausable-timer.ts';

describe('a pausable timer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('counts only the time in which it runs, and expires once', () => {
    const onExpire = vi.fn<() => void>();
    const timer = new PausableTimer(100, onExpire);
    vi.advanceTimersByTime(60);
    timer.pause();
    timer.pause();
    vi.advanceTimersByTime(1_000);
    timer.resume();
    timer.resume();
    vi.advanceTimersByTime(39);
    expect(onExpire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    timer.resume();
    vi.advanceTimersByTime(1_000);
    expect(onExpire).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('never expires once it is disposed of, whoever resumes it', () => {
    const onExpire = vi.fn<() => void>();
    const timer = new PausableTimer(100, onExpire);
    timer.pause();
    timer[Symbol.dispose]();
    timer.resume();
    vi.advanceTimersByTime(1_000);
    expect(onExpire).not.toHaveBeenCalled();
  });
});

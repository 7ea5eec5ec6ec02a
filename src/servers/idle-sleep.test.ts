import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startIdleSleep } from './idle-sleep.ts';

describe('idle sleep', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('looks for idle servers often enough that none is awake much longer than it may, and stops when disposed', async () => {
    const asked: number[] = [];
    const fleet = { sleepIdle: (idle: number) => Promise.resolve(void asked.push(idle)) };
    const sleep = startIdleSleep(fleet, 900_000);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(asked).toEqual([900_000, 900_000, 900_000]);
    sleep[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(900_000);
    expect(asked).toHaveLength(3);
    const soon = startIdleSleep(fleet, 400);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(13);
    soon[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });
});

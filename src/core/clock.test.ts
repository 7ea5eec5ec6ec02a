import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

describe('systemClock', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('sleeps on timers that a test can fake', async () => {
    let awake = false;
    const sleeping = systemClock.sleep(3_600_000).then(() => {
      awake = true;
    });
    await vi.advanceTimersByTimeAsync(3_599_999);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleeping;
  });

  it('rejects with the reason of its signal, and leaves neither timer nor listener', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(1000, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
    await expect(systemClock.sleep(1000, controller.signal)).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

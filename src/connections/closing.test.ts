import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { closeWithin } from './closing.ts';

const hang = (): Promise<void> => new Promise(() => {});
const done = (): Promise<void> => Promise.resolve();
const fail = (message: string) => (): Promise<void> => Promise.reject(new Error(message));

describe('closing within budgets', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const close = (
    gracefully: (signal: AbortSignal) => Promise<void>,
    forcibly: (signal: AbortSignal) => Promise<void>,
  ) => closeWithin({ budget: 1000, clock: systemClock, gracefully, forcibly });

  it('ends politely where that works, and uses no force', async () => {
    const forcibly = vi.fn<() => Promise<void>>(done);
    await close(done, forcibly);
    expect(forcibly).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R51: begins the forced budget when the graceful one is used up, and tells the polite way to stop', async () => {
    let polite: AbortSignal | undefined;
    const forcibly = vi.fn<() => Promise<void>>(done);
    const closing = close(signal => {
      polite = signal;
      return hang();
    }, forcibly);
    await vi.advanceTimersByTimeAsync(999);
    expect(forcibly).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(forcibly).toHaveBeenCalledOnce();
    expect(polite?.aborted).toBe(true);
    await closing;
  });

  it('R52: where everything hangs it rejects after exactly two budgets', async () => {
    const rejected = vi.fn<(error: unknown) => void>();
    const closing = close(hang, hang).catch(rejected);
    await vi.advanceTimersByTimeAsync(1999);
    expect(rejected).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(rejected).toHaveBeenCalledOnce();
    expect(rejected.mock.calls[0]?.[0]).toMatchObject({
      code: 'close-failed',
      message: expect.stringContaining('1 s'),
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R54: carries every failure on the way', async () => {
    const error = await close(fail('no answer to DELETE'), fail('rm: permission denied')).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({
      code: 'close-failed',
      message: expect.stringContaining('rm: permission denied'),
      cause: { errors: [{ message: 'no answer to DELETE' }, { message: 'rm: permission denied' }] },
    });
  });

  it('uses force at once where the polite way failed, without waiting for the rest of its budget', async () => {
    const forcibly = vi.fn<() => Promise<void>>(done);
    await close(fail('broken'), forcibly);
    expect(forcibly).toHaveBeenCalledOnce();
  });
});

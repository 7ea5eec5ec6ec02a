import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { createStandingStream, type StandingStream } from './standing-stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream of a server that does that with each opening, watched for so many minutes: how often it was opened. */
async function opened(
  minutes: number,
  serve: (stream: StandingStream, again: (attempt?: number) => void, count: number) => void,
) {
  const over = new AbortController();
  const stream = createStandingStream(systemClock, over.signal);
  const at: number[] = [];
  const open = (): void => {
    at.push(Date.now());
    serve(stream, attempt => stream.openAgain(open, 1000, attempt ?? 0), at.length);
  };
  open();
  await vi.advanceTimersByTimeAsync(minutes * 60_000);
  over.abort();
  return at;
}

describe('the standing stream of a 2025 server', () => {
  it('B13: that ends at once is opened ever less often, once a minute in the end', async () => {
    const at = await opened(60, (stream, again) => {
      stream.opened();
      again();
    });
    expect(at.length).toBeLessThan(70);
    expect((at.at(-1) ?? 0) - (at.at(-2) ?? 0)).toBe(60_000);
  });

  it('P5: is tried again as long as the server is away, and then stands', async () => {
    const missed: boolean[] = [];
    const at = await opened(10, (stream, again, count) => {
      if (count < 6) again(count);
      else missed.push(stream.opened());
    });
    expect(at).toHaveLength(6);
    expect(missed).toEqual([true]);
  });

  it('that a server ends after a while is opened again at once', async () => {
    const at = await opened(10, (stream, again) => {
      stream.opened();
      setTimeout(again, 30_000);
    });
    expect((at.at(-1) ?? 0) - (at.at(-2) ?? 0)).toBe(31_000);
  });

  it('P5: is opened before its time where a call is made while it cannot be opened', async () => {
    const stream = createStandingStream(systemClock, new AbortController().signal);
    const open = vi.fn<() => void>();
    stream.openAgain(open, 1000, 5);
    stream.openNow();
    stream.openNow();
    expect(open).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(open).toHaveBeenCalledOnce();
  });
});

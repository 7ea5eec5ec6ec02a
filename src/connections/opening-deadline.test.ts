import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openingDeadline } from './opening-deadline.ts';

describe('the deadline of opening and negotiation', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('R49: fires after that many milliseconds, with the error as its reason', () => {
    using deadline = openingDeadline(
      { openWithin: 15_000, deadlineName: 'open' },
      new AbortController().signal,
      () => {},
    );
    vi.advanceTimersByTime(14_999);
    expect(deadline.signal.aborted).toBe(false);
    expect(deadline.expired).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({ code: 'timeout', message: expect.stringContaining('15 s') });
    expect(deadline.expired).toBe(deadline.signal.reason);
  });

  it('R49: stands still while an image is pulled and a container becomes ready, and tells every phase on', () => {
    const phases: unknown[] = [];
    using deadline = openingDeadline(
      { openWithin: 15_000, deadlineName: 'open' },
      new AbortController().signal,
      (...phase) => phases.push(phase),
    );
    vi.advanceTimersByTime(10_000);
    deadline.onPhase('pulling');
    vi.advanceTimersByTime(300_000);
    deadline.onPhase('pulling', 'layer 3 of 8');
    vi.advanceTimersByTime(300_000);
    deadline.onPhase('starting');
    vi.advanceTimersByTime(4000);
    deadline.onPhase('waiting-ready');
    vi.advanceTimersByTime(30_000);
    deadline.onPhase('negotiating');
    vi.advanceTimersByTime(999);
    expect(deadline.expired).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(deadline.expired).toBeDefined();
    expect(phases).toContainEqual(['pulling', 'layer 3 of 8']);
  });

  it('fires with the start, without being used up', () => {
    const start = new AbortController();
    using deadline = openingDeadline({ openWithin: 15_000, deadlineName: 'open' }, start.signal, () => {});
    start.abort('stop');
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.signal.reason).toBe('stop');
    expect(deadline.expired).toBeUndefined();
  });

  it('is over when disposed', () => {
    const start = new AbortController();
    const deadline = openingDeadline({ openWithin: 15_000, deadlineName: 'open' }, start.signal, () => {});
    deadline[Symbol.dispose]();
    vi.advanceTimersByTime(100_000);
    start.abort();
    expect(deadline.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';

/** The two ways to end something, and how long each may take. */
export interface ClosingSteps {
  /** Milliseconds for each of the two (R51, R52). */
  readonly budget: number;
  readonly clock: Clock;
  /** Politely. The signal fires when its budget is used up. */
  readonly gracefully: (signal: AbortSignal) => Promise<void>;
  /** At once. Only this one's failure means that something is left. */
  readonly forcibly: (signal: AbortSignal) => Promise<void>;
}

/**
 * Ends something: politely within one budget, else by force within one more (R51, R52). The budgets run on whether or
 * not anybody still waits (R53). Rejects with `close-failed`, which carries every failure on the way.
 */
export async function closeWithin({ budget, clock, gracefully, forcibly }: ClosingSteps): Promise<void> {
  const failures: unknown[] = [];
  for (const step of [gracefully, forcibly]) {
    try {
      await within(budget, clock, step);
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new LongshoreError(
    'close-failed',
    `The server could not be ended, not even by force: ${messageOf(failures.at(-1))} Unload it again to retry.`,
    { cause: new AggregateError(failures, failures.map(messageOf).join(' ')) },
  );
}

/** Waits for a promise, but no longer than that many milliseconds; rejects only as the promise does. */
export async function atMost(milliseconds: number, clock: Clock, promise: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const over = clock.sleep(milliseconds, timer.signal).catch(() => {}); // it only ever rejects because of this timer
  try {
    await Promise.race([promise, over]);
  } finally {
    timer.abort();
  }
}

async function within(budget: number, clock: Clock, step: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const expiry = new AbortController();
  const timer = new AbortController();
  const expired = async (): Promise<never> => {
    await clock.sleep(budget, timer.signal);
    expiry.abort();
    throw new LongshoreError('timeout', `It took longer than ${budget / 1000} s.`);
  };
  try {
    await Promise.race([step(expiry.signal), expired()]);
  } finally {
    timer.abort();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

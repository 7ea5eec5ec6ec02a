import type { Clock } from '../core/clock.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';

/** What may end an opening before it is done. */
export interface OpenLimit extends Disposable {
  /** Aborted with a LongshoreError: `cancelled` if the caller gave up, `timeout` if the budget is spent. */
  readonly signal: AbortSignal;
}

/** Joins a caller's signal and a deadline (R49), with reasons that may be thrown as they are. */
export function createOpenLimit(options: {
  /** Milliseconds. */
  readonly budget: number;
  /** Which of the server's deadlines that is. */
  readonly deadlineName: keyof Deadlines;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly serverKey: ServerKey;
}): OpenLimit {
  const { budget, deadlineName, clock, signal, serverKey } = options;
  const either = new AbortController();
  const done = new AbortController();
  // A deadline around this one has its own reason.
  const cancel = (): void =>
    either.abort(
      signal.reason instanceof LongshoreError
        ? signal.reason
        : new LongshoreError('cancelled', `The start of ${serverKey} was cancelled.`),
    );
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  clock.sleep(budget, done.signal).then(
    () =>
      either.abort(
        new LongshoreError(
          'timeout',
          `${serverKey} has not answered within ${budget / 1000} s. If it needs longer, raise its deadline ${deadlineName}.`,
        ),
      ),
    () => undefined, // disposed of
  );
  return {
    signal: either.signal,
    [Symbol.dispose]() {
      done.abort();
      signal.removeEventListener('abort', cancel);
    },
  };
}

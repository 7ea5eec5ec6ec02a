/** The two ways to end something, both idempotent and one run between them. */
export interface Closer {
  gracefully(signal: AbortSignal): Promise<void>;
  forcibly(signal: AbortSignal): Promise<void>;
  /** True from the first call on. */
  readonly closing: boolean;
}

/**
 * Makes one run of any number of calls. `end` does the work; its `hurry` settles as soon as anybody wants it forced.
 * A caller that gives up (its signal) is let go, the run goes on (R53). After a failure the next call tries again (R54).
 */
export function createCloser(end: (hurry: Promise<void>) => Promise<void>): Closer {
  const hurry = Promise.withResolvers<void>();
  let run: Promise<void> | undefined;
  let closing = false;

  function begin(): Promise<void> {
    closing = true;
    run ??= end(hurry.promise).catch((error: unknown) => {
      run = undefined;
      throw error;
    });
    return run;
  }

  return {
    gracefully: signal => orAborted(begin(), signal),
    forcibly(signal) {
      hurry.resolve();
      return orAborted(begin(), signal);
    },
    get closing() {
      return closing;
    },
  };
}

/** Waits for work that goes on by itself, but no longer than the signal allows; then rejects with its reason. */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

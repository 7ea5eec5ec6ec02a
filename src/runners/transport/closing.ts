/** The one end of a wire. */
export interface Closing {
  /** Aborted as soon as the end begins. */
  readonly signal: AbortSignal;
  /** Settles when it is over; never rejects. */
  readonly closed: Promise<void>;
  /** Begins the end, or joins it. */
  readonly close: () => Promise<void>;
}

/** Runs `end` once, whoever asks and however often, and then `told`. */
export function createClosing(end: () => Promise<void>, told: () => void): Closing {
  const begun = new AbortController();
  const over = Promise.withResolvers<void>();
  return {
    signal: begun.signal,
    closed: over.promise,
    async close() {
      if (begun.signal.aborted) return over.promise;
      begun.abort();
      try {
        await end();
      } finally {
        over.resolve();
        told();
      }
    },
  };
}

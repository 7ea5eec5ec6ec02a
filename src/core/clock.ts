/** Time as an argument: tests hand in their own, or fake Node's timers under this one. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Settles after that many milliseconds, or rejects with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    const over = Promise.withResolvers<void>();
    // The global one, which tests can fake; the one of node:timers/promises they cannot.
    const timer = setTimeout(over.resolve, milliseconds);
    const abort = (): void => over.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await over.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  },
};

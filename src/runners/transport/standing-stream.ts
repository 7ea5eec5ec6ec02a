import type { Clock } from '../../core/clock.ts';
import { Backoff } from '../../lib/backoff.ts';

/** When the stream of a 2025 server's own messages is opened again. */
export interface StandingStream {
  /** Opens it again after a while; `attempt` counts the failures in a row. Returns the way to give up. */
  openAgain(open: () => void, delay: number, attempt: number): () => void;
  /** Opens it at once, if it waits after a failure. */
  openNow(): void;
  /** It is open. True if it could not be opened before, so that something may have been missed. */
  opened(): boolean;
  /** Something came on it: it is of use. */
  heard(): void;
}

const firstDelay = 1_000;
const longestDelay = 60_000;
/** Milliseconds after which a stream that ends was not simply refused. */
const steadyAfter = 5_000;

/**
 * A stream that ends, or cannot be opened, is opened again as long as the wire is open, ever more slowly: a server that
 * ends it at once is asked once a minute in the end, one that is away for a while is found again.
 */
export function createStandingStream(clock: Clock, over: AbortSignal): StandingStream {
  const backoff = new Backoff(firstDelay, longestDelay);
  let openedAt: number | undefined;
  let failures = 0;
  let waiting: { readonly now: () => void } | undefined;

  return {
    openAgain(open, delay, attempt) {
      if (openedAt !== undefined && clock.now() - openedAt >= steadyAfter) backoff.reset();
      openedAt = undefined;
      failures = attempt;
      const ended = new AbortController();
      const once = (): void => {
        if (waiting !== mine) return;
        waiting = undefined;
        ended.abort();
        open();
      };
      const mine = { now: once };
      waiting = mine;
      // A server's own wish for a longer pause counts; a shorter one is the first delay anyway.
      const pause = Math.max(backoff.next(), attempt === 0 ? delay : 0);
      clock.sleep(pause, AbortSignal.any([over, ended.signal])).then(once, () => undefined); // ended
      return () => {
        if (waiting === mine) waiting = undefined;
        ended.abort();
      };
    },
    openNow() {
      if (failures > 0) waiting?.now();
    },
    opened() {
      openedAt = clock.now();
      const missed = failures > 0;
      failures = 0;
      return missed;
    },
    heard: () => backoff.reset(),
  };
}

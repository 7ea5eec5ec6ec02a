import { joinedClose } from '../lib/joined-close.ts';
import { untilAborted } from '../lib/until-aborted.ts';

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
  const run = joinedClose(() => end(hurry.promise));
  let closing = false;

  function begin(): Promise<void> {
    closing = true;
    return run();
  }

  return {
    gracefully: signal => untilAborted(begin(), signal),
    forcibly(signal) {
      hurry.resolve();
      return untilAborted(begin(), signal);
    },
    get closing() {
      return closing;
    },
  };
}

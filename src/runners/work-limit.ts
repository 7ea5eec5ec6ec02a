import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';

/** Ends a start whose launcher neither writes nor works any more. */
export interface WorkLimit extends Disposable {
  /** Aborted with the reason of the outer signal, or with `timeout`. */
  readonly signal: AbortSignal;
  /** It has done something. */
  worked(): void;
}

/** The clock starts anew with each sign of work; what bounds the whole is the deadline around it. */
export function createWorkLimit(options: {
  /** Milliseconds without a sign of work. */
  readonly idle: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly serverKey: ServerKey;
}): WorkLimit {
  const { idle, clock, signal, serverKey } = options;
  const either = new AbortController();
  let rest = new AbortController();
  let isOver = false;
  const cancel = (): void => either.abort(signal.reason);
  const wait = (): void => {
    const mine = new AbortController();
    rest = mine;
    clock.sleep(idle, mine.signal).then(
      () => either.abort(new LongshoreError('timeout', stalled(serverKey, idle))),
      () => undefined, // it worked, or is done
    );
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  wait();
  return {
    signal: either.signal,
    worked() {
      // What a server writes after its start is no affair of this any more; a timer for it would hold up our own end.
      if (isOver || either.signal.aborted) return;
      rest.abort();
      wait();
    },
    [Symbol.dispose]() {
      isOver = true;
      rest.abort();
      signal.removeEventListener('abort', cancel);
    },
  };
}

function stalled(serverKey: string, idle: number): string {
  return `${serverKey} has not answered, and what downloads and starts it has shown no sign of work for ${idle / 1000} s. If it needs longer, raise its deadline openLauncher.`;
}

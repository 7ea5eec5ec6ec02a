import { PausableTimer } from '../lib/pausable-timer.ts';

/** Which of a call's two limits was reached, and what it is in milliseconds. */
export interface Expiry {
  readonly limit: 'idle' | 'total';
  readonly after: number;
}

/** The two limits of one call. */
export interface CallDeadline extends Disposable {
  /** The server showed life: the idle limit begins anew. */
  progress(): void;
  /** Both limits stand still until the returned function is called; while a person is asked, the server is not slow. */
  pause(): () => void;
}

/** Starts both limits, in milliseconds; `onExpire` is called once at most. */
export function callDeadline(idle: number, total: number, onExpire: (expiry: Expiry) => void): CallDeadline {
  let pauses = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  const totalTimer = new PausableTimer(total, () => expire({ limit: 'total', after: total }));
  run();

  return {
    progress() {
      if (pauses === 0) idleTimer?.refresh();
    },
    pause() {
      if (pauses++ === 0) stand();
      let resumed = false;
      return () => {
        if (resumed) return;
        resumed = true;
        if (--pauses === 0) run();
      };
    },
    [Symbol.dispose]() {
      // No resume can start the timers again.
      pauses = Number.POSITIVE_INFINITY;
      stand();
    },
  };

  function run(): void {
    idleTimer = setTimeout(() => expire({ limit: 'idle', after: idle }), idle);
    totalTimer.resume();
  }

  function stand(): void {
    clearTimeout(idleTimer);
    totalTimer.pause();
  }

  function expire(expiry: Expiry): void {
    clearTimeout(idleTimer);
    totalTimer[Symbol.dispose]();
    onExpire(expiry);
  }
}

/** Which of a call's two limits was reached, and what it is in milliseconds. */
export interface Expiry {
  readonly limit: 'idle' | 'total';
  readonly after: number;
}

/** The two limits of one call (docker-problems.md 10). */
export interface CallDeadline extends Disposable {
  /** The server showed life: the idle limit begins anew. */
  progress(): void;
  /** Both limits stand still until the returned function is called; while a person is asked, the server is not slow. */
  pause(): () => void;
}

/** Starts both limits, in milliseconds; `onExpire` is called once at most. */
export function callDeadline(idle: number, total: number, onExpire: (expiry: Expiry) => void): CallDeadline {
  let left = total;
  let since = performance.now();
  let pauses = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  let totalTimer: NodeJS.Timeout | undefined;
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
    since = performance.now();
    idleTimer = setTimeout(() => expire({ limit: 'idle', after: idle }), idle);
    totalTimer = setTimeout(() => expire({ limit: 'total', after: total }), left);
  }

  function stand(): void {
    clearTimeout(idleTimer);
    clearTimeout(totalTimer);
    left = Math.max(0, left - (performance.now() - since));
  }

  function expire(expiry: Expiry): void {
    clearTimeout(idleTimer);
    clearTimeout(totalTimer);
    onExpire(expiry);
  }
}

import type { Child } from './child.ts';
import { hasWorked, type Work } from './process-work.ts';
import type { OnPhase } from './runner.ts';
import { plainText } from './transport/plain-text.ts';
import { createWorkLimit } from './work-limit.ts';

/** A launcher under way: its signs of work, told on as progress. */
export interface WorkWatch extends Disposable {
  /** Aborted where it does not work any more, or with the start. */
  readonly signal: AbortSignal;
  /** It wrote a line. */
  readonly heard: (line: string) => void;
  /** Looks at what it reads and writes from now on. */
  follow(child: Pick<Child, 'work'>): void;
}

const lookEvery = 500;
const longestDetail = 120;

/** See `WorkWatch`; its last line is the detail of the phase `starting`. */
export function watchWork(options: Parameters<typeof createWorkLimit>[0], onPhase: OnPhase): WorkWatch {
  const limit = createWorkLimit(options);
  const done = new AbortController();

  async function look(child: Pick<Child, 'work'>): Promise<void> {
    let last: Work | undefined;
    for (;;) {
      await options.clock.sleep(lookEvery, done.signal);
      const now = await child.work();
      if (now !== undefined && last !== undefined && hasWorked(last, now)) limit.worked();
      if (last === undefined || (now !== undefined && hasWorked(last, now))) last = now;
    }
  }

  return {
    signal: limit.signal,
    heard(line) {
      limit.worked();
      const detail = plainText(line).trim();
      if (!done.signal.aborted && detail !== '') onPhase('starting', detail.slice(0, longestDetail));
    },
    follow(child) {
      look(child).catch(() => undefined); // the start is over
    },
    [Symbol.dispose]() {
      done.abort();
      limit[Symbol.dispose]();
    },
  };
}

import type { Clock } from '../core/clock.ts';

/** How often the clock is looked at, in milliseconds. */
const every = 5_000;

/** By how much more than that it must have gone on: as after a sleep of the machine, and never for a busy one. */
const jump = 15_000;

/**
 * Calls back when the clock has jumped ahead, as it has when the machine slept: timers stand still meanwhile, the time of
 * day does not. Ends with its disposal and holds no process open. A clock that was put right does no harm.
 */
export function watchClockJumps(clock: Pick<Clock, 'now'>, onJump: (milliseconds: number) => void): Disposable {
  let last = clock.now();
  const timer = setInterval(() => {
    const now = clock.now();
    const missed = now - last - every;
    last = now;
    if (missed >= jump) onJump(missed);
  }, every);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

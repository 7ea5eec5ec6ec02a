import type { Fleet } from './fleet.ts';

/** At least so often idle servers are looked for, in milliseconds, and at most so often. */
const rarest = 30_000;
const oftenest = 20;

/** Puts saved servers to sleep that were idle for that many milliseconds; ends with its disposal and holds no process open. */
export function startIdleSleep(fleet: Pick<Fleet, 'sleepIdle'>, idle: number): Disposable {
  const every = Math.min(rarest, Math.max(oftenest, idle / 4));
  // It never rejects: what could not be put to sleep is in the log.
  const timer = setInterval(() => void fleet.sleepIdle(idle), every);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

import { setTimeout as after } from 'node:timers/promises';

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
    await after(milliseconds, undefined, signal ? { signal } : {});
  },
};

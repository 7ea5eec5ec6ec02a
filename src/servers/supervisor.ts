import type { Clock } from '../core/clock.ts';
import { type ErrorCode, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import type { DownState } from '../core/server-life.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import type { ManagedServer } from './managed-server.ts';

/** Seconds to wait before each start after a crash; after the last one it is a crash loop. */
const waits = [1, 2, 4, 8, 16];

/** True for a server that is not ours to run: it forgets sessions and is restarted by others, and asking it again costs nothing. */
export function isElsewhere({ planned }: ManagedServer): boolean {
  return planned.kind === 'remote';
}

/** Milliseconds of steady life after which earlier crashes no longer count. */
const steadyAfter = 60_000;

/**
 * What starting again may help against; a command that does not exist stays missing. An engine that is away is no crash:
 * the next call finds out whether it is back (R67).
 */
export const passing: ReadonlySet<ErrorCode> = new Set([
  'connection-lost',
  'failed-to-start',
  'unreachable',
  'timeout',
  'docker-failed',
]);

interface Watch {
  crashes: number;
  startedAt: number;
  readonly stop: AbortController;
  next: Promise<void> | undefined;
}

/**
 * Starts saved servers again when they crash, ever more slowly, each by itself; remote ones at once the first time, for
 * what they lost is a session.
 */
export class Supervisor {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #watches = new Map<ManagedServer, Watch>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** It is connected: from now on its steady life counts. */
  connected(server: ManagedServer): void {
    this.#watch(server).startedAt = this.#clock.now();
  }

  /** Counts a crash or a failed start, plans the next start where one may help, and gives back the state that follows. */
  crashed(server: ManagedServer, error: LongshoreError): DownState {
    const watch = this.#watch(server);
    if (!passing.has(error.code) || error.data?.['final'] === true) return { name: 'failed', error };
    const now = this.#clock.now();
    const wasConnected = watch.startedAt > 0;
    if (wasConnected && now - watch.startedAt >= steadyAfter) watch.crashes = 0;
    watch.startedAt = 0;
    const isFirst = watch.crashes === 0;
    const seconds = isFirst && wasConnected && isElsewhere(server) ? 0 : waits[watch.crashes];
    watch.crashes += 1;
    if (seconds === undefined) {
      // One elsewhere stays failed, and its next call tries again.
      return isElsewhere(server) ? { name: 'failed', error } : { name: 'crash-loop', error };
    }
    const wait = seconds * 1_000;
    this.#startAfter(server, watch, wait);
    return { name: 'restarting', error, attempt: watch.crashes, of: waits.length, at: now + wait };
  }

  /** Settles when the next start that is due has been tried; at once if none is. Rejects with `cancelled`. */
  async nextTry(server: ManagedServer, signal: AbortSignal): Promise<void> {
    const next = this.#watches.get(server)?.next;
    if (next === undefined) return;
    try {
      await untilAborted(next, signal);
    } catch (cause) {
      throw new LongshoreError('cancelled', `The wait for ${server.serverKey} was cancelled.`, { cause });
    }
  }

  /** A person stopped, reloaded or changed it: crashes are forgotten, and no start is due any more. */
  forget(server: ManagedServer): void {
    this.#watches.get(server)?.stop.abort();
    this.#watches.delete(server);
  }

  #watch(server: ManagedServer): Watch {
    const known = this.#watches.get(server);
    if (known) return known;
    const watch: Watch = { crashes: 0, startedAt: 0, stop: new AbortController(), next: undefined };
    this.#watches.set(server, watch);
    return watch;
  }

  #startAfter(server: ManagedServer, watch: Watch, wait: number): void {
    const next = this.#start(server, watch.stop.signal, wait).finally(() => {
      // If that start has failed, another one may be due by now.
      if (watch.next === next) watch.next = undefined;
    });
    watch.next = next;
  }

  async #start(server: ManagedServer, signal: AbortSignal, wait: number): Promise<void> {
    try {
      await this.#clock.sleep(wait, signal);
      await server.start(signal, () => {});
    } catch (error) {
      // A failed start is this server's state, and was counted as the next crash with it.
      if (!signal.aborted)
        this.#log.info({ server: server.serverKey, error: String(error) }, 'It did not start again.');
    }
  }
}

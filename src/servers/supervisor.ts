import type { Clock } from '../core/clock.ts';
import { type ErrorCode, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import type { ServerMember } from './server-member.ts';

/** Seconds to wait before each start after a crash (design.md, "Lazy"); after the last one it is a crash loop. */
const waits = [1, 2, 4, 8, 16];

/** True for a server that is not ours to run: it forgets sessions and is restarted by others, and asking it again costs nothing. */
export function isElsewhere({ planned }: ServerMember): boolean {
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
  readonly #watches = new Map<ServerMember, Watch>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** It is connected: from now on its steady life counts. */
  connected(member: ServerMember): void {
    this.#watch(member).startedAt = this.#clock.now();
  }

  /** It ended by itself or did not start; says what is to become of it, and sees to that. */
  crashed(member: ServerMember, error: LongshoreError): void {
    const watch = this.#watch(member);
    if (watch.stop.signal.aborted || !passing.has(error.code)) return;
    const now = this.#clock.now();
    const wasConnected = watch.startedAt > 0;
    if (wasConnected && now - watch.startedAt >= steadyAfter) watch.crashes = 0;
    watch.startedAt = 0;
    const isFirst = watch.crashes === 0;
    const seconds = isFirst && wasConnected && isElsewhere(member) ? 0 : waits[watch.crashes];
    watch.crashes += 1;
    if (seconds === undefined) {
      // One elsewhere stays failed, and its next call tries again.
      if (!isElsewhere(member)) member.await({ name: 'crash-loop', error });
      return;
    }
    const wait = seconds * 1_000;
    member.await({ name: 'restarting', error, attempt: watch.crashes, of: waits.length, at: now + wait });
    watch.next = this.#startAfter(member, watch, wait);
  }

  /** Settles when the next start that is due has been tried; at once if none is. */
  async nextTry(member: ServerMember, signal: AbortSignal): Promise<void> {
    const next = this.#watches.get(member)?.next;
    if (next === undefined) return;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = () => reject(new LongshoreError('cancelled', `The wait for ${member.serverKey} was cancelled.`));
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([next, promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** A person stopped, reloaded or changed it: crashes are forgotten, and no start is due any more. */
  forget(member: ServerMember): void {
    this.#watches.get(member)?.stop.abort();
    this.#watches.delete(member);
  }

  #watch(member: ServerMember): Watch {
    const known = this.#watches.get(member);
    if (known) return known;
    const watch: Watch = { crashes: 0, startedAt: 0, stop: new AbortController(), next: undefined };
    this.#watches.set(member, watch);
    return watch;
  }

  async #startAfter(member: ServerMember, watch: Watch, wait: number): Promise<void> {
    const { signal } = watch.stop;
    try {
      await this.#clock.sleep(wait, signal);
      await member.start(signal, () => {});
    } catch (error) {
      // A failed start is this server's state, and counted as the next crash by whoever hears of that state.
      if (!signal.aborted)
        this.#log.info({ server: member.serverKey, error: String(error) }, 'It did not start again.');
    } finally {
      watch.next = undefined;
    }
  }
}

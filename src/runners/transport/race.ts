import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { BothAnswered, ProbeAnswer } from './probe.ts';
import type { HttpHint } from './startup-url.ts';

/** The hints of one container, as they come in. */
export interface HintBoard {
  add(hint: HttpHint): void;
  /** In the order in which they came, each once. */
  readonly seen: readonly HttpHint[];
  /** Settles with the first one. */
  readonly first: Promise<void>;
}

/** Collects hints; a server that tells of very many is not believed more. */
export function createHintBoard(): HintBoard {
  const seen: HttpHint[] = [];
  const first = Promise.withResolvers<void>();
  return {
    seen,
    first: first.promise,
    add(hint) {
      if (seen.length >= mostHints || seen.some(({ port, path }) => port === hint.port && path === hint.path)) return;
      seen.push(hint);
      first.resolve();
    },
  };
}

/** The two runners of the race (R9). */
export interface RaceOptions {
  /** Negotiates over stdin and stdout; settles soon after its signal fires. */
  readonly stdio: (signal: AbortSignal) => Promise<ProbeAnswer | BothAnswered>;
  /** What its log says about HTTP. */
  readonly hints: HintBoard;
  /** Where HTTP may be although no log says so (the image's EXPOSE): tried after a long silence. */
  readonly exposed: readonly HttpHint[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How a container wants to be spoken to. */
export type RaceResult =
  | { readonly transport: 'stdio'; readonly answer: ProbeAnswer | BothAnswered }
  | {
      readonly transport: 'streamable-http';
      /** Where to try, most likely first. */
      readonly hints: readonly HttpHint[];
      /** True where the server said nothing at all: then stdio may only be slow. */
      readonly guessed: boolean;
    };

/** Milliseconds that a server with a hint still has to answer on stdio. */
const grace = 750;
/** Milliseconds until stdio has been asked both questions (`probe` sends the second after 1 s); no grace begins before. */
const bothAsked = 1_000;
/** Milliseconds that a hint may come after stdio has failed. */
const lateHint = 200;
/** Milliseconds of silence after which an exposed port is worth a try: slow starters speak stdio too. */
const silence = 6_000;
const mostHints = 4;

/**
 * Lets stdio and the log's hints race (R9): a negotiation that succeeds always wins, also in the turn in which HTTP
 * would; HTTP wins when a hint has waited out its grace, when stdio failed and there is (or shortly comes) a hint, or
 * after a long silence where a port is exposed. The loser has ended when this settles. Rejects with the failure of
 * stdio, or the signal's reason.
 */
export async function raceTransports(options: RaceOptions): Promise<RaceResult> {
  const { hints, exposed, clock, signal } = options;
  const loser = new AbortController();
  const timers = new AbortController();
  let negotiated: { readonly answer: ProbeAnswer | BothAnswered } | { readonly failure: unknown } | undefined;
  const stdio = options.stdio(AbortSignal.any([signal, loser.signal])).then(
    answer => {
      negotiated = { answer };
    },
    (failure: unknown) => {
      negotiated = { failure };
    },
  );
  try {
    await Promise.race([stdio, httpIsDue(options, timers.signal)]);
    // What arrived in this very turn is read before the next one.
    await new Promise(setImmediate);
    if (negotiated === undefined) {
      loser.abort(new LongshoreError('cancelled', 'The server is spoken to over HTTP instead.'));
      await stdio;
      signal.throwIfAborted();
    } else if ('failure' in negotiated) {
      signal.throwIfAborted();
      await Promise.race([hints.first, clock.sleep(lateHint, timers.signal)]);
      if (hints.seen.length === 0) throw negotiated.failure;
    }
  } finally {
    timers.abort();
  }
  if (negotiated !== undefined && 'answer' in negotiated) return { transport: 'stdio', answer: negotiated.answer };
  const others = exposed.filter(({ port }) => !hints.seen.some(hint => hint.port === port));
  return {
    transport: 'streamable-http',
    hints: [...hints.seen, ...others].slice(0, mostHints),
    guessed: hints.seen.length === 0,
  };
}

/** Settles when HTTP has waited long enough; never where nothing points to HTTP. */
async function httpIsDue({ hints, exposed, clock }: RaceOptions, timers: AbortSignal): Promise<void> {
  const begun = clock.now();
  const never = new Promise<never>(() => {});
  const quiet = exposed.length === 0 ? never : clock.sleep(silence, timers);
  const came = hints.first.then(() => {
    const now = clock.now();
    return clock.sleep(Math.max(now, begun + bothAsked) + grace - now, timers);
  });
  try {
    await Promise.race([quiet, came]);
  } catch {
    // The race is over: `timers` was aborted.
    await never;
  } finally {
    quiet.catch(() => {});
    came.catch(() => {});
  }
}

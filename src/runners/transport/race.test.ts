import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { ProbeAnswer } from './probe.ts';
import { createHintBoard, type RaceResult, raceTransports } from './race.ts';
import type { HttpHint } from './startup-url.ts';

const answer: ProbeAnswer = { era: 'legacy', initialize: {}, cacheable: false };
const hint: HttpHint = { port: 3000, path: '/mcp' };
const exposed: HttpHint = { port: 8000, path: '/mcp' };
const http = (...hints: readonly HttpHint[]): RaceResult => ({ transport: 'streamable-http', hints, guessed: false });

/** A negotiation that takes that long to answer or fail, and that long to end when it is cancelled. */
interface Stdio {
  readonly answersAt?: number;
  readonly failsAt?: number;
  readonly endsAfter?: number;
}

let ended: boolean;

beforeEach(() => {
  // setImmediate is the real one: it is what the race waits a turn with.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  ended = false;
});

afterEach(() => {
  vi.useRealTimers();
});

const after = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

function negotiation({ answersAt, failsAt, endsAfter = 0 }: Stdio) {
  return async (signal: AbortSignal): Promise<ProbeAnswer> => {
    const outcome = Promise.withResolvers<ProbeAnswer>();
    // In two steps, so that its timer is younger than those of the race, and fires last of those that are due together.
    if (answersAt !== undefined) {
      void after(answersAt - 1)
        .then(() => after(1))
        .then(() => outcome.resolve(answer));
    }
    if (failsAt !== undefined) {
      void after(failsAt).then(() => outcome.reject(new LongshoreError('connection-lost', 'It ended.')));
    }
    signal.addEventListener('abort', () => {
      const reject = (): void => outcome.reject(signal.reason);
      if (endsAfter === 0) reject();
      else void after(endsAfter).then(reject);
    });
    return outcome.promise.finally(() => {
      ended = true;
    });
  };
}

interface Outcome {
  readonly result?: RaceResult;
  readonly error?: unknown;
  readonly at: number;
}

/** Runs a race in which hints come at those times; gives how it ended and when. */
async function race(
  stdio: Stdio,
  more: {
    readonly hintsAt?: readonly number[];
    readonly exposed?: readonly HttpHint[];
    readonly abortAt?: number;
  } = {},
): Promise<Outcome> {
  const begun = Date.now();
  const abort = new AbortController();
  const hints = createHintBoard();
  for (const [index, at] of (more.hintsAt ?? []).entries()) {
    void after(at).then(() => hints.add({ ...hint, port: hint.port + index }));
  }
  if (more.abortAt !== undefined)
    void after(more.abortAt).then(() => abort.abort(new LongshoreError('cancelled', 'Enough.')));
  let outcome: Outcome | undefined;
  void raceTransports({
    stdio: negotiation(stdio),
    hints,
    exposed: more.exposed ?? [],
    clock: fakedClock,
    signal: abort.signal,
  }).then(
    result => {
      outcome = { result, at: Date.now() - begun };
    },
    (error: unknown) => {
      outcome = { error, at: Date.now() - begun };
    },
  );
  for (let passed = 0; outcome === undefined && passed < 20_000; passed += 50) {
    await vi.advanceTimersByTimeAsync(50);
    await new Promise(setImmediate);
  }
  if (outcome === undefined) throw new Error('the race never ended');
  return outcome;
}

/** node:timers/promises is not faked. */
const fakedClock = {
  ...systemClock,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};

describe('R9: the race between stdio and HTTP', () => {
  it('is won by stdio as soon as it answers, whatever the log says', async () => {
    expect(await race({ answersAt: 300 }, { hintsAt: [0] })).toMatchObject({
      result: { transport: 'stdio', answer },
      at: 300,
    });
    expect(await race({ answersAt: 5_000 })).toMatchObject({ result: { transport: 'stdio' }, at: 5_000 });
  });

  it('is won by stdio also if it answers in the very turn in which HTTP would be due', async () => {
    expect(await race({ answersAt: 4_750 }, { hintsAt: [4_000] })).toMatchObject({ result: { transport: 'stdio' } });
    expect(await race({ answersAt: 6_000 }, { exposed: [exposed] })).toMatchObject({ result: { transport: 'stdio' } });
  });

  it('is won by HTTP a grace after the hint, and not before stdio was asked both questions', async () => {
    expect(await race({}, { hintsAt: [8_000] })).toEqual({ result: http(hint), at: 8_750 });
    expect(await race({}, { hintsAt: [0] })).toEqual({ result: http(hint), at: 1_750 });
  });

  it('keeps every hint, the first one first, and exposed ports after them', async () => {
    const { result } = await race({}, { hintsAt: [100, 200], exposed: [hint, exposed] });
    expect(result).toEqual(http(hint, { ...hint, port: 3001 }, exposed));
  });

  it('is won by HTTP if stdio fails and a hint was there or comes at once', async () => {
    expect(await race({ failsAt: 500 }, { hintsAt: [100] })).toEqual({ result: http(hint), at: 500 });
    expect(await race({ failsAt: 500 }, { hintsAt: [600] })).toEqual({ result: http(hint), at: 600 });
  });

  it('ends with the failure of stdio if no hint comes within 200 ms, exposed port or not', async () => {
    const lost = { code: 'connection-lost' };
    expect(await race({ failsAt: 500 }, { hintsAt: [1_000], exposed: [exposed] })).toMatchObject({
      error: lost,
      at: 700,
    });
  });

  it('tries an exposed port after a long silence only', async () => {
    expect(await race({}, { exposed: [exposed] })).toEqual({ result: { ...http(exposed), guessed: true }, at: 6_000 });
    expect(await race({ answersAt: 5_900 }, { exposed: [exposed] })).toMatchObject({ result: { transport: 'stdio' } });
  });

  it('goes on for ever where nothing points to HTTP, until its caller ends it', async () => {
    expect(await race({}, { abortAt: 15_000 })).toMatchObject({
      error: { code: 'cancelled', message: 'Enough.' },
      at: 15_000,
    });
  });

  it('R50: settles only when the loser has ended', async () => {
    expect(await race({ endsAfter: 400 }, { hintsAt: [2_000] })).toEqual({ result: http(hint), at: 3_150 });
    expect(ended).toBe(true);
    ended = false;
    expect(await race({ endsAfter: 400 }, { abortAt: 1_000 })).toMatchObject({ at: 1_400 });
    expect(ended).toBe(true);
  });

  it('believes a server that tells of very many addresses no more than one that tells of few', () => {
    const hints = createHintBoard();
    for (let port = 1; port <= 100; port += 1) hints.add({ port, path: '/mcp' });
    hints.add({ port: 1, path: '/mcp' });
    expect(hints.seen.map(({ port }) => port)).toEqual([1, 2, 3, 4]);
  });
});

import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { CortexMiddleware } from './cortex-env.ts';
import type { Principal } from './principal.ts';

/** How much Cortex takes of whom. */
export interface Limits {
  /** Bytes of a request's body. */
  readonly body: number;
  /** Requests a second over time, and how many at once in a rush, of one token. */
  readonly perToken: Rate;
  /** The same of one client at /mcp, whose calls are made by programs. */
  readonly perClient: Rate;
  /** The same of one address, for requests whose token is wrong or missing. */
  readonly guesses: Rate;
  /** Requests of one token that run at the same time. */
  readonly concurrent: number;
  /** Event streams at the same time, over all. */
  readonly streams: number;
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Far above what a person's programs do, and low enough that none of them can stop the others. */
export const defaultLimits: Limits = {
  body: 4 * 1024 * 1024,
  perToken: { perSecond: 500, burst: 2_000 },
  perClient: { perSecond: 20_000, burst: 40_000 },
  guesses: { perSecond: 5, burst: 50 },
  concurrent: 256,
  streams: 64,
};

/** Takes one from a key's bucket: 0 if there was one, else the seconds until there will be. */
export type TakeOne = (key: string) => number;

const mostKeys = 10_000;

/** A token bucket for each key. A key that was not seen for long has a full bucket, so forgetting it changes nothing. */
export function rateLimit(rate: Rate, clock: Clock): TakeOne {
  const buckets = new LRUCache<string, { left: number; at: number }>({ max: mostKeys });
  return key => {
    const now = clock.now();
    const bucket = buckets.get(key) ?? { left: rate.burst, at: now };
    const left = Math.min(rate.burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * rate.perSecond);
    buckets.set(key, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? 0 : Math.ceil((1 - left) / rate.perSecond);
  };
}

/** The refusal of somebody who asks too much; tells how long to wait. */
export function tooMany(what: string, retryAfterSeconds: number): LongshoreError {
  return new LongshoreError('too-many-requests', `${what} Try again in ${retryAfterSeconds} s.`, {
    data: { retryAfterSeconds },
  });
}

/** Limits how fast and how many at once each token may ask; comes after `signedIn`. Throws `too-many-requests`. */
export function requestLimits(limits: Limits, clock: Clock): CortexMiddleware {
  const take = rateLimit(limits.perToken, clock);
  const running = new Map<string, number>();
  return async (context, next) => {
    const key = whose(context.get('principal'));
    const wait = take(key);
    if (wait > 0) throw tooMany('Too many requests in a short time.', wait);
    const others = running.get(key) ?? 0;
    if (others >= limits.concurrent) throw tooMany(`${others} requests are running already.`, 1);
    running.set(key, others + 1);
    try {
      await next();
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };
}

/** Counts requests without a good token by their address, so that guessing is slow. Throws `too-many-requests`. */
export function guessLimit(limits: Limits, clock: Clock): (address: string) => void {
  const take = rateLimit(limits.guesses, clock);
  return address => {
    const wait = take(address);
    if (wait > 0) throw tooMany('Too many requests without a good token.', wait);
  };
}

function whose(principal: Principal): string {
  return principal.kind === 'operator' ? principal.channel : `client ${principal.client.id}`;
}

/**
 * Refuses bodies above the limit before any of a declared one is read, and as soon as an undeclared one has grown past
 * it. Throws `too-large`.
 */
export function bodyLimit(most: number): CortexMiddleware {
  return async (context, next) => {
    const declared = context.req.header('content-length');
    if (declared !== undefined && Number(declared) > most) throw tooLarge(most);
    const { raw } = context.req;
    if (declared === undefined && raw.body !== null) {
      const body = await readUpTo(raw.body, most);
      context.req.raw = new Request(raw.url, { method: raw.method, headers: raw.headers, body, signal: raw.signal });
    }
    await next();
  };
}

async function readUpTo(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(most: number): LongshoreError {
  return new LongshoreError('too-large', `The body is larger than ${most} bytes, the most that Cortex takes.`, {
    data: { limit: most },
  });
}

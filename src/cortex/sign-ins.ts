import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { type Digest, sha256 } from '../core/ids.ts';

/** How long a sign-in link is good, and how long a page may stay silent before it must sign in anew; milliseconds. */
export const signInLimits = { link: 5 * 60_000, idle: 12 * 3_600_000 } as const;

/** More than a person has pages open; the one silent for longest makes room. */
const mostSessions = 64;
const mostLinks = 64;

/** Sign-in links and the pages signed in with them: in memory only, so both end with the service. */
export interface SignIns {
  /** A one-time token for a link, good for five minutes. */
  issue(): string;
  /** A session's token for a link's, once; undefined for one that is used, expired or unknown. */
  exchange(linkToken: string): string | undefined;
  /** True for the token of a session that has not ended; it counts as a sign of life. */
  isSession(token: string): boolean;
  end(token: string): void;
}

/** Tokens are kept as digests and found by them, so how long that takes tells nothing about them. */
export function createSignIns(clock: Clock): SignIns {
  const links = new LRUCache<Digest, number>({ max: mostLinks });
  const sessions = new LRUCache<Digest, number>({ max: mostSessions });
  return {
    issue() {
      return add(links, 'lsl_', clock.now() + signInLimits.link);
    },
    exchange(linkToken) {
      const digest = sha256(linkToken);
      const expires = links.get(digest);
      links.delete(digest);
      if (expires === undefined || clock.now() >= expires) return undefined;
      return add(sessions, 'lss_', clock.now() + signInLimits.idle);
    },
    isSession(token) {
      const digest = sha256(token);
      const expires = sessions.get(digest);
      sessions.delete(digest);
      if (expires === undefined || clock.now() >= expires) return false;
      sessions.set(digest, clock.now() + signInLimits.idle);
      return true;
    },
    end(token) {
      sessions.delete(sha256(token));
    },
  };
}

function add(entries: LRUCache<Digest, number>, prefix: string, expires: number): string {
  const token = prefix + randomBytes(32).toString('base64url');
  entries.set(sha256(token), expires);
  return token;
}

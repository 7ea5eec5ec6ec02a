import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { type Digest, sha256 } from '../core/ids.ts';
import type { ClientCaller } from '../store/callers.ts';

/** Seconds that a ticket is good. */
export const ticketSeconds = 30;
const mostTickets = 256;

/**
 * Tickets for clients that only start commands: `longshore mcp` has one made for a caller, and from then on speaks as
 * that caller alone. In memory, good once, so no token lies in a client's configuration.
 */
export interface Tickets {
  issue(client: ClientCaller): string;
  /** Whose ticket it is, once; undefined for one that is used, expired or unknown. */
  take(ticket: string): ClientCaller | undefined;
}

export function createTickets(clock: Clock): Tickets {
  const tickets = new LRUCache<Digest, { readonly client: ClientCaller; readonly expires: number }>({
    max: mostTickets,
  });
  return {
    issue(client) {
      const ticket = `lst_${randomBytes(32).toString('base64url')}`;
      tickets.set(sha256(ticket), { client, expires: clock.now() + ticketSeconds * 1_000 });
      return ticket;
    },
    take(ticket) {
      const digest = sha256(ticket);
      const found = tickets.get(digest);
      tickets.delete(digest);
      return found !== undefined && clock.now() < found.expires ? found.client : undefined;
    },
  };
}

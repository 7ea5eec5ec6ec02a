import type { Client } from '../client/client.ts';
import { LongshoreError } from '../core/errors.ts';

/** Shorter beginnings of an id may mean another call by the time that they are typed. */
const shortest = 4;

/** A whole id from what was typed: itself, or the beginning of one that is open. Throws `unknown-approval` or `usage`. */
export async function approvalId(typed: string, client: Pick<Client, 'ask'>): Promise<string> {
  if (/^[0-9a-f]{32}$/.test(typed)) return typed;
  const isBeginning = /^[0-9a-f]+$/.test(typed) && typed.length >= shortest;
  const open = isBeginning ? await client.ask('GET /api/approvals') : [];
  const [found, other] = open.filter(({ id }) => id.startsWith(typed));
  if (found === undefined) {
    throw new LongshoreError(
      'unknown-approval',
      `No call waits under ${JSON.stringify(typed)}. See those that do: longshore approvals`,
    );
  }
  if (other === undefined) return found.id;
  throw new LongshoreError('usage', `Several ids begin with ${typed}. Type more of the one that is meant.`);
}

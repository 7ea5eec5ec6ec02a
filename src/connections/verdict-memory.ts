import { asLongshoreError } from '../core/errors.ts';
import type { Verdict } from '../core/ports/verdicts.ts';
import type { ConnectionRequest } from './connection-request.ts';

type Memory = Pick<ConnectionRequest, 'verdicts' | 'verdictKey' | 'serverKey' | 'around'>;

/** What an earlier start learned about this server with this credential. */
export async function recall(memory: Memory): Promise<Verdict | undefined> {
  return await tolerant(memory, () => memory.verdicts.get(memory.verdictKey));
}

/** Keeps what this start learned. */
export async function remember(memory: Memory, verdict: Verdict): Promise<void> {
  await tolerant(memory, () => memory.verdicts.put(memory.verdictKey, verdict));
}

/** Forgets what turned out wrong. */
export async function forget(memory: Memory): Promise<void> {
  await tolerant(memory, () => memory.verdicts.forget(memory.verdictKey));
}

/** A memory that fails costs the next start a round trip, and this one nothing. */
async function tolerant<Value>({ serverKey, around }: Memory, work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    const { code } = asLongshoreError(error);
    around.log.warn({ serverKey, code }, 'what is known about a server could not be read or kept');
    return undefined;
  }
}

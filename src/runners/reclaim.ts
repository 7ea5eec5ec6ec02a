import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Holding } from '../core/ports/ledger.ts';
import { killMarked } from './marked-processes.ts';
import type { Surroundings } from './runner.ts';

const rounds = 20;

/**
 * Removes what a row of the ledger stands for, proven by its marker, and then the row (R62). For rows that no open
 * server answers for: a failed start kept for inspection, or a run of the host that is dead. Rejects with
 * `close-failed`; the row then stays and says why.
 */
export async function reclaim(holding: Holding, around: Surroundings): Promise<void> {
  try {
    await around.ledger.update(holding.id, { state: 'closing' });
    await removals[holding.kind](holding, around);
    await around.ledger.forget(holding.id);
  } catch (error) {
    const { message } = asLongshoreError(error);
    await around.ledger.update(holding.id, { state: 'failed', lastError: message });
    throw new LongshoreError('close-failed', `${holding.serverKey} could not be removed: ${message}`, { cause: error });
  }
}

const removals: Readonly<Record<Holding['kind'], (holding: Holding, around: Surroundings) => Promise<void>>> = {
  process: removeProcesses,
  gateway: removeProcesses,
  container() {
    throw new LongshoreError('docker-unavailable', 'Containers cannot be removed yet.');
  },
};

async function removeProcesses({ instance, marker }: Holding, { platform }: Surroundings): Promise<void> {
  const left = await killMarked({ instance, marker }, { platform, rounds });
  if (left.length === 0) return;
  throw new LongshoreError('close-failed', `processes ${left.join(', ')} are still there after SIGKILL.`);
}

import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Holding } from '../core/ports/ledger.ts';
import type { HoldingRemoval, Surroundings } from './runner.ts';

/**
 * Removes what a row of the ledger stands for, and then the row (R62). For rows that no open server answers for: a failed
 * start kept for inspection, or a run of the host that is dead. Rejects with `close-failed`; the row then stays and says
 * why. Resolves with true if something was there to be removed.
 */
export async function reclaimHolding(
  holding: Holding,
  remove: HoldingRemoval['remove'],
  around: Surroundings,
): Promise<boolean> {
  try {
    await around.ledger.update(holding.id, { state: 'closing' });
    const wasThere = await remove(holding, around);
    await around.ledger.forget(holding.id);
    return wasThere;
  } catch (error) {
    const { message } = asLongshoreError(error);
    await around.ledger.update(holding.id, { state: 'failed', lastError: message });
    throw new LongshoreError('close-failed', `${holding.serverKey} could not be removed: ${message}`, { cause: error });
  }
}

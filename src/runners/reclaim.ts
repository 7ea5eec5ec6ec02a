import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Holding } from '../core/ports/ledger.ts';
import { listContainers } from '../docker/containers.ts';
import { label } from '../docker/labels.ts';
import { removeContainer } from '../docker/remove.ts';
import { linkEngine } from './engine-link.ts';
import { killMarked, markedProcesses } from './marked-processes.ts';
import type { Surroundings } from './runner.ts';

const rounds = 20;
/** Milliseconds for one answer of an engine. */
const engineTime = 20_000;

/**
 * Removes what a row of the ledger stands for, proven by its marker, and then the row (R62). For rows that no open
 * server answers for: a failed start kept for inspection, or a run of the host that is dead. Rejects with
 * `close-failed`; the row then stays and says why. Resolves with true if something was there to be removed.
 */
export async function reclaim(holding: Holding, around: Surroundings): Promise<boolean> {
  try {
    await around.ledger.update(holding.id, { state: 'closing' });
    const wasThere = await removals[holding.kind](holding, around);
    await around.ledger.forget(holding.id);
    return wasThere;
  } catch (error) {
    const { message } = asLongshoreError(error);
    await around.ledger.update(holding.id, { state: 'failed', lastError: message });
    throw new LongshoreError('close-failed', `${holding.serverKey} could not be removed: ${message}`, { cause: error });
  }
}

/**
 * Removes what runs of the host that are dead left behind; the home's lock proves them dead. One that cannot be removed
 * now (an engine that does not answer) stays in the ledger, says why, and holds nobody up.
 */
export async function sweep(around: Surroundings): Promise<void> {
  const left = (await around.ledger.list()).filter(holding => holding.instance !== around.instance);
  for (const holding of left) {
    try {
      await reclaim(holding, around);
      around.log.info({ server: holding.serverKey, kind: holding.kind }, 'Removed what an earlier run left behind.');
    } catch (error) {
      around.log.warn({ server: holding.serverKey, kind: holding.kind }, asLongshoreError(error).message);
    }
  }
}

/** Each gives back true if something of it was there. */
const removals: Readonly<Record<Holding['kind'], (holding: Holding, around: Surroundings) => Promise<boolean>>> = {
  process: removeProcesses,
  gateway: removeProcesses,
  container: removeContainers,
};

/** By its label, wherever it is; the label of our home must be there too. */
async function removeContainers({ marker, engine }: Holding, around: Surroundings): Promise<boolean> {
  const { cli } = await linkEngine(engine ?? { program: 'docker', globals: [], env: {} }, around);
  const labels = [label('marker', marker), label('home', around.containers.homeId)];
  const found = await listContainers(cli, labels, { deadline: engineTime });
  for (const { id } of found) await removeContainer(cli, id, { budget: engineTime, clock: around.clock });
  return found.length > 0;
}

async function removeProcesses({ instance, marker }: Holding, { platform }: Surroundings): Promise<boolean> {
  const before = await markedProcesses({ instance, marker }, platform);
  const left = await killMarked({ instance, marker }, { platform, rounds });
  if (left.length === 0) return before.length > 0;
  throw new LongshoreError('close-failed', `processes ${left.join(', ')} are still there after SIGKILL.`);
}

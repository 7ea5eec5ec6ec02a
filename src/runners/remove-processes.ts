import { LongshoreError } from '../core/errors.ts';
import type { Holding } from '../core/ports/ledger.ts';
import { killMarked, markedProcesses } from './marked-processes.ts';
import type { Surroundings } from './runner.ts';

const rounds = 20;

/** Kills the processes with the marker of a row; true if there were any. Rejects with `close-failed` if one is left. */
export async function removeProcesses({ instance, marker }: Holding, { platform }: Surroundings): Promise<boolean> {
  const before = await markedProcesses({ instance, marker }, platform);
  const left = await killMarked({ instance, marker }, { platform, rounds });
  if (left.length === 0) return before.length > 0;
  throw new LongshoreError('close-failed', `processes ${left.join(', ')} are still there after SIGKILL.`);
}

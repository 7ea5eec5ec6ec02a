import { cut } from '../../lib/cut.ts';
import type { Audit, ChangeEntry } from './audit.ts';

/**
 * Makes a change that was found valid: recorded before it is made, and where it then fails, its failure (`ACTION_failed`) too,
 * so that nothing stands in the record as done that was not. Rejects with `cannot-record`, or as the change does.
 */
export async function recordedChange<Made>(
  audit: Pick<Audit, 'change' | 'note'>,
  entry: ChangeEntry,
  make: () => Promise<Made>,
): Promise<Made> {
  await audit.change(entry);
  try {
    return await make();
  } catch (error) {
    const message = cut(error instanceof Error ? error.message : String(error), 1_000);
    audit.note({ ...entry, action: `${entry.action}_failed`, detail: { ...entry.detail, message } });
    throw error;
  }
}

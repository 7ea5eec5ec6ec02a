import type { Governance } from '../governance/governance.ts';
import type { Fleet } from '../servers/fleet.ts';
import type { SavedBook } from '../servers/saved-book.ts';

/** Begins no more calls, ends the fleet and, once nothing of it is left, what it stood on; a failed run may be repeated (R54). */
export function disposer(
  governance: Governance,
  { fleet, saved }: { readonly fleet: Fleet; readonly saved: SavedBook },
  held: AsyncDisposable,
  onEnd: () => void,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  async function end(): Promise<void> {
    governance.stop();
    await Promise.all([saved.close(), fleet.close()]);
    await fleet.reclaimLeft();
    await held[Symbol.asyncDispose]();
    onEnd();
  }
  return async () => {
    running ??= end();
    try {
      await running;
    } catch (error) {
      running = undefined;
      throw error;
    }
  };
}

import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import type { HomeId, RandomId } from '../core/ids.ts';
import { makePrivateFile } from '../core/private-file.ts';

/** Who a home is. */
export interface HomeIdentity {
  /** Random, made with the home: containers carry it, so that no other home touches them. */
  readonly homeId: HomeId;
  /** True for a copy of a home that is still where it was: what the copied ledger names belongs to that one. */
  readonly isCopy: boolean;
  /** Writes down that this folder is that home; for a copy only once nothing of the original's is left in its ledger. */
  settle(): void;
}

const name = 'home-id';

/**
 * Reads or makes the id of a home, `<id>\n<folder>\n`. A folder that was moved keeps its id; one that was copied while
 * the original is still there gets an id of its own. Throws `invalid-identity` for a damaged file, `cannot-record`.
 */
export function readHomeIdentity(folder: string, randomId: RandomId): HomeIdentity {
  const path = join(folder, name);
  const place = realpathSync(folder);
  const text = makePrivateFile(path, `${randomId()}\n${place}\n`);
  const [id = '', recorded] = text.trim().split('\n');
  if (!/^[0-9a-f]{32}$/.test(id)) {
    throw new LongshoreError(
      'invalid-identity',
      `${path} does not hold this home's id. Restore it, or delete it and remove the containers that this home left behind.`,
      { data: { path } },
    );
  }
  const isCopy = recorded !== undefined && recorded !== place && isOriginal(join(recorded, name), path, id);
  const homeId = (isCopy ? randomId() : id) as HomeId;
  return {
    homeId,
    isCopy,
    settle() {
      if (recorded !== place) replace(path, `${homeId}\n${place}\n`);
    },
  };
}

/** True if another folder has the same id: not this one by another path, such as a mount or a link. */
function isOriginal(there: string, here: string, id: string): boolean {
  try {
    const [a, b] = [statSync(there), statSync(here)];
    if (a.dev === b.dev && a.ino === b.ino) return false;
    return readFileSync(there, 'utf8').split('\n')[0] === id;
  } catch {
    // Nothing there, or nothing that could be ours.
    return false;
  }
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

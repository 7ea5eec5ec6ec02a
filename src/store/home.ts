import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import type { RandomId } from '../core/ids.ts';
import { makeFolder } from '../core/make-folder.ts';
import { homeFiles } from '../core/service-note.ts';
import { type HomeIdentity, readHomeIdentity } from './home-id.ts';

/** One home folder and the places in it. */
export interface Home extends HomeIdentity {
  readonly folder: string;
  readonly database: string;
  /** The home's own agent; see `readIdentity`. */
  readonly identity: string;
  readonly operatorToken: string;
  /** Held by the one host that works on this home; `lockNote` says which process that is. */
  readonly lock: string;
  readonly lockNote: string;
  readonly logs: string;
  /** The signed checkpoint of the audit: outside the database, so that a cut end shows. */
  readonly auditCheckpoint: string;
}

/** Which folder it is, and the world around it. */
export interface HomeOptions {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly randomId: RandomId;
}

/**
 * Makes the home folder if it is not there (0700) and reads or makes its id. Throws `bad-setting` where it cannot be
 * made or others may write in it, `invalid-identity` for a damaged id.
 */
export function openHome({ folder, platform, randomId }: HomeOptions): Home {
  makePrivateFolder(folder, platform);
  return {
    ...readHomeIdentity(folder, randomId),
    folder,
    database: join(folder, 'longshore.db'),
    identity: join(folder, 'identity.json'),
    operatorToken: join(folder, homeFiles.operatorToken),
    lock: join(folder, 'lock'),
    lockNote: join(folder, homeFiles.serviceNote),
    logs: join(folder, 'logs'),
    auditCheckpoint: join(folder, 'audit-checkpoint.json'),
  };
}

/** A folder that is ours is taken back from others; one that is not is left as it is, and refused if it is not safe. */
function makePrivateFolder(folder: string, platform: NodeJS.Platform): void {
  makeFolder(folder);
  try {
    // On Windows the rights are inherited from the user's own folder, and these bits say nothing.
    if (platform === 'win32') return;
    const mode = statSync(folder).mode;
    if ((mode & 0o077) === 0) return;
    if (existsSync(join(folder, 'home-id')) || readdirSync(folder).length === 0) {
      chmodSync(folder, 0o700);
      return;
    }
    if ((mode & 0o022) === 0) return;
  } catch (error) {
    throw new LongshoreError(
      'cannot-record',
      `The home folder ${folder} could not be read. Give yourself the right, or choose another with LONGSHORE_HOME.`,
      { cause: error, data: { path: folder } },
    );
  }
  throw new LongshoreError(
    'bad-setting',
    `Others may write in ${folder}, so nothing in it could be trusted. Choose a folder of your own with LONGSHORE_HOME, or take their right away.`,
    { data: { path: folder } },
  );
}

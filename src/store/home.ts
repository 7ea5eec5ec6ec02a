import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LongshoreError } from '../core/errors.ts';
import type { HomeId, RandomId } from '../core/ids.ts';
import { makePrivateFile } from '../core/private-file.ts';
import { homeFiles } from '../core/service-note.ts';

/** One home folder and the places in it (interface.md, "Home and environment"). */
export interface Home {
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
  /** Random, made with the home and never changed: containers carry it, so that no other home touches them. */
  readonly homeId: HomeId;
}

/** Which folder it is, and the world around it. */
export interface HomeOptions {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly randomId: RandomId;
}

/**
 * Makes the home folder if it is not there (0700) and reads or makes its id. Throws `cannot-record` where it cannot be
 * made, `bad-setting` for a folder in which others may write, `invalid-identity` for a damaged id.
 */
export function openHome({ folder, platform, randomId }: HomeOptions): Home {
  makePrivateFolder(folder, platform);
  const idFile = join(folder, 'home-id');
  const homeId = makePrivateFile(idFile, `${randomId()}\n`).trim();
  if (!/^[0-9a-f]{32}$/.test(homeId)) {
    throw new LongshoreError(
      'invalid-identity',
      `${idFile} does not hold this home's id. Restore it, or delete it and remove the containers that this home left behind.`,
      { data: { path: idFile } },
    );
  }
  return {
    folder,
    database: join(folder, 'longshore.db'),
    identity: join(folder, 'identity.json'),
    operatorToken: join(folder, homeFiles.operatorToken),
    lock: join(folder, 'lock'),
    lockNote: join(folder, homeFiles.serviceNote),
    logs: join(folder, 'logs'),
    auditCheckpoint: join(folder, 'audit-checkpoint.json'),
    homeId: homeId as HomeId,
  };
}

/** A folder that is ours is taken back from others; one that is not is left as it is, and refused if it is not safe. */
function makePrivateFolder(folder: string, platform: NodeJS.Platform): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
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
      `The home folder ${folder} could not be made or read. Make it writable, or choose another with LONGSHORE_HOME.`,
      { cause: error, data: { path: folder } },
    );
  }
  throw new LongshoreError(
    'bad-setting',
    `Others may write in ${folder}, so nothing in it could be trusted. Choose a folder of your own with LONGSHORE_HOME, or take their right away.`,
    { data: { path: folder } },
  );
}

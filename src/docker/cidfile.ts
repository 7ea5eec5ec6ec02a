import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { InstanceId } from '../core/ids.ts';

/** Where the CLI writes a container's id the moment it is created: the best handle in the start window (R62). */
export interface CidFile extends AsyncDisposable {
  /** For `--cidfile`; does not exist yet, else the CLI would refuse it. */
  readonly path: string;
  /** For `--env-file`, in the same folder; gone with it. */
  readonly envPath: string;
  /** Puts the content there, for nobody but us to read. */
  writeEnv(content: string): Promise<void>;
  /** The id, if the container was created already. */
  read(): Promise<string | undefined>;
  /** Settles when the id is there, or with `undefined` once the signal is aborted. */
  appears(clock: Clock, signal: AbortSignal): Promise<string | undefined>;
}

/** Milliseconds between two looks; the CLI takes some hundred for a container. */
const lookEvery = 25;

/**
 * A name for one id file, in a folder of its own under the given temporary folder that only we may enter. The folder's
 * name holds the run of the host, by which the watchdog finds what a sudden death left.
 */
export async function createCidFile(temporaryFolder: string, instance: InstanceId): Promise<CidFile> {
  const folder = await mkdtemp(join(temporaryFolder, `longshore-cid-${instance}-`));
  const path = join(folder, 'cid');
  const envPath = join(folder, 'env');
  const read = async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return /^[0-9a-f]{64}$/.exec(text.trim())?.[0];
  };
  return {
    path,
    envPath,
    writeEnv: content => writeFile(envPath, content, { mode: 0o600 }),
    read,
    async appears(clock, signal) {
      while (!signal.aborted) {
        const id = await read();
        if (id !== undefined) return id;
        await clock.sleep(lookEvery, signal).catch(() => {});
      }
      return read();
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

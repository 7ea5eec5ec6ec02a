import { readFile } from 'node:fs/promises';

/** Bytes that processes have written and read so far, caches and pipes included. */
export interface Work {
  readonly written: number;
  readonly read: number;
}

/** How much processes have moved so far; undefined where the system does not say (only Linux does). */
export async function workOf(pids: readonly number[], platform: NodeJS.Platform): Promise<Work | undefined> {
  if (platform !== 'linux') return undefined;
  const texts = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/io`, 'utf8').catch(() => '')));
  const sum = (name: string): number =>
    texts.reduce((total, text) => total + Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0), 0);
  return { written: sum('wchar'), read: sum('rchar') };
}

/** Waking up costs some bytes, and a look-up of a host's name some files: less than that is no work. */
const leastWritten = 1024;
const leastRead = 64 * 1024;

/** True if that is a sign of work; processes that have ended take theirs along. */
export function hasWorked(before: Work, now: Work): boolean {
  return Math.abs(now.written - before.written) >= leastWritten || Math.abs(now.read - before.read) >= leastRead;
}

import { lstat, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Diagnostic } from '../core/words.ts';
import { hostPaths } from '../docker/mounts.ts';
import type { RunFlag } from '../docker/parse-run.ts';
import { findRisks, type Risk } from '../docker/run-risks.ts';
import { engineSockets } from './engine-sockets.ts';
import type { Environment } from './environment.ts';
import type { Surroundings } from './runner.ts';

/** `findRisks` with the paths as they really are: a link into Longshore's home is as good as the home. */
export async function realRisks(
  flags: readonly RunFlag[],
  cwd: string | undefined,
  around: Surroundings,
  env: Environment = {},
): Promise<readonly Risk[]> {
  const { platform, containers } = around;
  const home = containers.homeFolder;
  const folder = cwd ?? process.cwd();
  const paths = hostPaths(flags).map(({ source }) => resolve(folder, source));
  const known = await engineSockets(around, env);
  const asked = [...paths, ...known, ...(home === undefined ? [] : [home])];
  const real = new Map(await Promise.all(asked.map(async path => [path, await realPath(path)] as const)));
  const sockets = new Map(
    await Promise.all([...real.values()].map(async path => [path, await socketIdentity(path)] as const)),
  );
  const engines = new Set(known.map(path => sockets.get(real.get(path) ?? path)));
  // Another name of the same socket (a hard link, a folder mounted twice) is the same engine.
  const isEngine = (path: string) => sockets.get(path) !== undefined && engines.has(sockets.get(path));
  return findRisks(flags, {
    platform,
    cwd: folder,
    home,
    realPath: path => real.get(path) ?? path,
    engineSockets: [...known.map(path => real.get(path) ?? path), ...[...sockets.keys()].filter(isEngine)],
    isSocket: path => sockets.get(path) !== undefined,
  });
}

/** Device and inode of a socket; `undefined` for anything else. */
async function socketIdentity(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSocket() ? `${found.dev}:${found.ino}` : undefined;
}

/** Where a path leads, links followed; of one that does not exist the part that does. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : resolve(await realPath(parent), path.slice(parent.length).replace(/^[/\\]/, ''));
  }
}

/** The engine would make a missing folder, empty and owned by root, which is never what was meant. */
export async function missingFolders(
  sources: readonly string[],
  cwd: string | undefined,
): Promise<readonly Diagnostic[]> {
  const notes = sources.map(async (source): Promise<readonly Diagnostic[]> => {
    try {
      await realpath(resolve(cwd ?? process.cwd(), source));
      return [];
    } catch {
      const message = `${source} does not exist on this machine; Docker makes an empty folder of it, owned by root.`;
      return [{ code: 'mount-source-missing', message, data: { source } }];
    }
  });
  return (await Promise.all(notes)).flat();
}

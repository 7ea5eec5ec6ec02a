import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Environment } from './environment.ts';
import type { Surroundings } from './runner.ts';

const config = z.object({ currentContext: z.string().optional() });
const context = z.object({ Endpoints: z.object({ docker: z.object({ Host: z.string() }) }) });

/**
 * Paths of the sockets on which an engine may listen here: the well-known ones, and those that DOCKER_HOST, CONTAINER_HOST
 * and docker's contexts name. Links are not followed.
 */
export async function engineSockets(
  { env, homeDir }: Pick<Surroundings, 'env' | 'homeDir'>,
  given: Environment,
): Promise<readonly string[]> {
  const all = { ...env, ...given };
  const hosts = [all['DOCKER_HOST'], env['DOCKER_HOST'], all['CONTAINER_HOST'], await contextHost(all, homeDir)];
  const runtime = all['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`;
  return [
    ...hosts.flatMap(host => /^unix:\/\/(.+)$/.exec(host ?? '')?.[1] ?? []),
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    '/var/run/podman/podman.sock',
    '/run/containerd/containerd.sock',
    '/var/run/containerd/containerd.sock',
    '/run/crio/crio.sock',
    join(runtime, 'docker.sock'),
    join(runtime, 'podman/podman.sock'),
    ...['.docker/run/docker.sock', '.docker/desktop/docker.sock', '.colima/default/docker.sock', '.rd/docker.sock'].map(
      path => join(homeDir, path),
    ),
  ];
}

/** The endpoint of the context in use; `undefined` where there is none, or it cannot be read. */
async function contextHost(env: Surroundings['env'], homeDir: string): Promise<string | undefined> {
  const folder = env['DOCKER_CONFIG'] ?? join(homeDir, '.docker');
  try {
    const name = env['DOCKER_CONTEXT'] ?? config.parse(await json(join(folder, 'config.json'))).currentContext;
    if (name === undefined) return undefined;
    const id = createHash('sha256').update(name).digest('hex');
    return context.parse(await json(join(folder, 'contexts/meta', id, 'meta.json'))).Endpoints.docker.Host;
  } catch {
    return undefined;
  }
}

async function json(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}

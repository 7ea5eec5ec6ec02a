import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../e2e/run-longshore.ts';
import { docker } from '../fixtures/docker/images.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('engine', import.meta.url));

/** Whether this machine can start an engine of a test's own, beside the one that others use. */
export const canStartApart = process.platform === 'linux' && process.getuid?.() === 0;

/** An engine of a test's own, which it may stop and start; in a network of its own, so nothing of it can be reached by a port. */
export interface EngineApart extends AsyncDisposable {
  /** Environment in which the docker command speaks to it. */
  readonly env: Readonly<Record<string, string>>;
  start(): Promise<void>;
  /** In good order: its containers end. */
  stop(): Promise<void>;
  /** As a crash does: its containers go on without it. */
  kill(): Promise<void>;
  /** Runs docker against it and gives its trimmed stdout. */
  docker(...args: readonly string[]): Promise<string>;
}

/** Starts one that has that image of the shared engine. */
export async function startEngineApart(image: string): Promise<EngineApart> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-apart-'));
  const socket = join(folder, 'docker.sock');
  const host = `unix://${socket}`;
  const engine = async (verb: 'start' | 'stop', ...more: readonly string[]) =>
    void (await run('bash', [script, verb, '--folder', folder, ...more]));
  const apart: EngineApart = {
    env: { DOCKER_HOST: host },
    async start() {
      const start = () => engine('start', '--apart', '--socket', socket);
      // On a busy machine the containerd of one that was killed may be in the way of the next one's.
      await start().catch(start);
    },
    stop: () => engine('stop'),
    async kill() {
      const pid = Number(await readFile(join(folder, 'dockerd.pid'), 'utf8'));
      process.kill(pid, 'SIGKILL');
      await eventually(async () => !(await docker('-H', host, 'version').then(Boolean, () => false)), 20_000);
    },
    docker: (...args) => docker('-H', host, ...args),
    async [Symbol.asyncDispose]() {
      await engine('stop');
      // One that was killed leaves its data folder mounted on itself.
      await run('umount', [join(folder, 'data')]).catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
  await apart.start();
  await copyImage(image, host);
  return apart;
}

async function copyImage(image: string, host: string): Promise<void> {
  const save = spawn('docker', ['save', image], { stdio: ['ignore', 'pipe', 'inherit'] });
  const load = spawn('docker', ['-H', host, 'load'], { stdio: [save.stdout, 'ignore', 'inherit'] });
  const code = await new Promise(ended => load.once('exit', ended));
  if (code !== 0) throw new Error(`docker load ended with code ${String(code)}`);
}

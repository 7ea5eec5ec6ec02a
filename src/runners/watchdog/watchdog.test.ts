import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type InstanceId, randomId } from '../../core/ids.ts';
import { silentLog } from '../../core/ports/log.ts';
import { markedProcesses, markerVariable } from '../marked-processes.ts';
import { startWatchdog } from './watchdog.ts';

const { platform } = process;
const hostProgram = fileURLToPath(new URL('../../../test/fixtures/watched-host.ts', import.meta.url));

interface Host {
  readonly instance: InstanceId;
  readonly process: ChildProcess;
  says(word: string): Promise<void>;
}

/** A program that opens these fixture servers with a real watchdog. */
function startHost(servers: readonly string[], { dispose = false, env = process.env } = {}): Host {
  const instance = randomId() as InstanceId;
  const args = [hostProgram, ...(dispose ? ['--dispose'] : []), instance, ...servers];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  return {
    instance,
    process: child,
    async says(word) {
      while (!said.includes(word)) await once(child.stdout, 'data');
    },
  };
}

async function watchdogsOf(instance: InstanceId): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['axww', '-o', 'pid=,command=']);
  const own = stdout.split('\n').filter(line => line.includes('watchdog-main.') && line.endsWith(instance));
  return own.map(line => Number.parseInt(line, 10));
}

async function until(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  for (const end = Date.now() + milliseconds; Date.now() < end; await pause(50)) if (await condition()) return true;
  return await condition();
}

const nothingLeft = (instance: InstanceId) => async (): Promise<boolean> =>
  (await markedProcesses({ instance }, platform)).length === 0;

describe('R5: the watchdog', () => {
  it('ends everything that a killed host had started, then itself', { timeout: 40_000 }, async () => {
    const host = startHost(['deaf', 'forking', 'own-session']);
    await host.says('opened');
    // Five at least: three servers, a grandchild, and a child in a session of its own. So this test would see one.
    expect((await markedProcesses({ instance: host.instance }, platform)).length).toBeGreaterThanOrEqual(5);
    expect(await watchdogsOf(host.instance)).toHaveLength(1);
    host.process.kill('SIGKILL');
    expect(await until(nothingLeft(host.instance), 5_000)).toBe(true);
    expect(await until(async () => (await watchdogsOf(host.instance)).length === 0, 15_000)).toBe(true);
  });

  it('leaves nothing whenever its host is killed', { timeout: 60_000 }, async () => {
    const killOne = async (name: string): Promise<void> => {
      const host = startHost([name]);
      await host.says('watched');
      await pause(Math.random() * 1_000);
      host.process.kill('SIGKILL');
      // What was just being started may carry no marker yet: all is over when the watchdog has looked again and left.
      expect(await until(async () => (await watchdogsOf(host.instance)).length === 0, 20_000)).toBe(true);
      expect(await markedProcesses({ instance: host.instance }, platform)).toEqual([]);
    };
    for (let round = 0; round < 2; round++) await Promise.all(['deaf', 'forking', 'own-session'].map(killOne));
  });

  it('leaves at once, and quietly, when its host ends in good order', async () => {
    const host = startHost(['deaf'], { dispose: true });
    await host.says('disposed');
    expect(await watchdogsOf(host.instance)).toEqual([]);
    if (host.process.exitCode === null) await once(host.process, 'exit');
    expect(host.process.exitCode).toBe(0);
  });

  it('ends what a host left that was ended politely without closing anything', { timeout: 30_000 }, async () => {
    const host = startHost(['own-session']);
    await host.says('opened');
    host.process.kill('SIGTERM');
    expect(await until(nothingLeft(host.instance), 5_000)).toBe(true);
  });

  it.runIf(platform === 'linux')(
    'holds a pipe that no server inherits, and carries no marker of an outer Longshore',
    {
      timeout: 30_000,
    },
    async () => {
      const outer = `${randomId()}.${randomId()}`;
      const host = startHost(['deaf'], { env: { ...process.env, [markerVariable]: outer, NODE_OPTIONS: '' } });
      await host.says('opened');
      const [watchdog] = await watchdogsOf(host.instance);
      const environment = await readFile(`/proc/${watchdog}/environ`, 'utf8');
      expect(environment).not.toContain(markerVariable);
      expect(environment).not.toContain('NODE_OPTIONS');
      const socketsOf = async (pid: number | undefined): Promise<string[]> => {
        const links = await readdir(`/proc/${pid}/fd`);
        return Promise.all(links.map(fd => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
      };
      const [server] = await markedProcesses({ instance: host.instance }, platform);
      const held = new Set(await socketsOf(host.process.pid));
      const inherited = (await socketsOf(server)).filter(link => link.startsWith('socket:') && held.has(link));
      expect(inherited).toEqual([]);
      host.process.kill('SIGKILL');
      expect(await until(nothingLeft(host.instance), 5_000)).toBe(true);
    },
  );

  it('is replaced when somebody ends it, and the new one knows its work', { timeout: 30_000 }, async () => {
    const host = startHost(['deaf']);
    await host.says('opened');
    const [first] = await watchdogsOf(host.instance);
    process.kill(first ?? 0, 'SIGKILL');
    expect(await until(async () => (await watchdogsOf(host.instance)).some(pid => pid !== first), 10_000)).toBe(true);
    host.process.kill('SIGKILL');
    expect(await until(nothingLeft(host.instance), 5_000)).toBe(true);
  });

  it('does not start for a host that starts no process', async () => {
    const instance = randomId() as InstanceId;
    const watchdog = startWatchdog({ instance, log: silentLog, env: process.env, platform });
    await watchdog[Symbol.asyncDispose]();
    expect(watchdog.markerEnv('m')).toEqual({ [markerVariable]: `${instance}.m` });
    expect(await watchdogsOf(instance)).toEqual([]);
  });
});

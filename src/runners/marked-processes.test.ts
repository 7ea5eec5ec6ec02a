import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { randomId } from '../core/ids.ts';
import { groupMembers, killMarked, markedProcesses, markerText, markerVariable } from './marked-processes.ts';

/** The ways to look that work on this machine: /proc, and ps as on macOS. */
const platforms: NodeJS.Platform[] = process.platform === 'linux' ? ['linux', 'darwin'] : [process.platform];

function sleeper(env: Record<string, string>, options: { detached?: boolean } = {}): ChildProcess {
  return spawn('/bin/sleep', ['1000'], { env, stdio: 'ignore', ...options });
}

async function end(...children: ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

describe.each(platforms)('marked processes, seen as on %s', platform => {
  it('finds the processes with exactly that marker, and by instance all of a host', async () => {
    const [instance, a, b] = [randomId(), randomId(), randomId()];
    const ours = sleeper({ [markerVariable]: markerText(instance, a), OTHER: '1' });
    const second = sleeper({ OTHER: '1', [markerVariable]: markerText(instance, b) });
    const strangers = [
      sleeper({ [markerVariable]: markerText(randomId(), a) }),
      sleeper({ [`X${markerVariable}`]: markerText(instance, a) }),
      sleeper({ [markerVariable]: `${markerText(instance, a)}0` }),
      sleeper({ OTHER: `x${markerVariable}=${markerText(instance, a)}` }),
      sleeper({}),
    ];
    const exit = once(ours, 'exit');
    try {
      expect(await markedProcesses({ instance, marker: a }, platform)).toEqual([ours.pid]);
      const all = new Set(await markedProcesses({ instance }, platform));
      expect(all).toEqual(new Set([ours.pid, second.pid, strangers[2]?.pid]));
      expect(await killMarked({ instance, marker: a }, { platform, rounds: 20 })).toEqual([]);
      await exit;
      expect(strangers.every(child => child.exitCode === null && child.signalCode === null)).toBe(true);
      expect(second.signalCode).toBeNull();
    } finally {
      await end(ours, second, ...strangers);
    }
  });

  it('ends processes that keep starting others', async () => {
    const instance = randomId();
    const script = 'trap "" TERM; while :; do setsid sh -c "sleep 0.05; sleep 1000" & sleep 0.01; done';
    const env = { PATH: process.env['PATH'] ?? '', [markerVariable]: markerText(instance, 'm') };
    const child = spawn('/bin/sh', ['-c', script], { env, stdio: 'ignore', detached: true });
    while ((await markedProcesses({ instance }, platform)).length < 10);
    expect(await killMarked({ instance }, { platform, rounds: 100 })).toEqual([]);
    expect(await markedProcesses({ instance }, platform)).toEqual([]);
    await end(child);
  });

  it('tells the live members of a group, and no process that only waits to be reaped', async () => {
    // The shell leaves a zombie behind: it never waits for the child that ends.
    const child = spawn('/bin/sh', ['-c', 'true & exec sleep 1000'], { stdio: 'ignore', detached: true });
    const group = child.pid ?? 0;
    try {
      await expect
        .poll(async () => (await groupMembers(group, platform)).map(({ pid }) => pid), { timeout: 5000 })
        .toEqual([group]);
    } finally {
      await end(child);
    }
    expect(await groupMembers(group, platform)).toEqual([]);
  });
});

describe('marked processes on Windows', () => {
  it('are never found, because Windows shows nobody the environment of a process', async () => {
    expect(await markedProcesses({ instance: 'x' }, 'win32')).toEqual([]);
    expect(await groupMembers(1, 'win32')).toEqual([]);
  });
});

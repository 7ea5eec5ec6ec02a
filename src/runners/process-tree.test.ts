import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { uptime } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { randomId } from '../core/ids.ts';
import { markerText, markerVariable } from './marked-processes.ts';
import { type ProcessTree, processTree } from './process-tree.ts';

const { platform } = process;

/** A shell command as the leader of its own group, with a marker, and the tree of it. */
function tree(script: string): { child: ChildProcess; tree: ProcessTree } {
  const match = { instance: randomId(), marker: randomId() };
  const env = { PATH: process.env['PATH'], [markerVariable]: markerText(match.instance, match.marker) };
  const child = spawn('/bin/sh', ['-c', script], { env, stdio: 'ignore', detached: true });
  return { child, tree: processTree({ child, pid: child.pid ?? 0, match, platform, clock: systemClock, uptime }) };
}

describe('processTree', () => {
  it('ends a group with all its members', async () => {
    const { child, tree: own } = tree('sleep 1000 & sleep 1000 & wait');
    const exit = once(child, 'exit');
    while ((await own.members()).length < 3) await pause(5);
    expect(await own.kill()).toEqual([]);
    await exit;
    expect(await own.members()).toEqual([]);
  });

  it.each([
    ['with our marker', 'sleep 1000 & exit'],
    ['with an emptied environment', 'env -i sleep 1000 & sleep 0.1; exit'],
    ['in a session of its own', 'setsid sleep 1000 & sleep 0.1; exit'],
  ])('ends a process that outlives its leader %s', async (_how, script) => {
    for (let round = 0; round < 3; round++) {
      const { child, tree: own } = tree(script);
      await once(child, 'exit');
      expect(await own.kill()).toEqual([]);
      expect(await own.members()).toEqual([]);
    }
  });

  it('never ends what has no proof: a stranger with the number that our group had', async () => {
    const stranger = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true });
    const ours = spawn('/bin/true');
    const mistaken = processTree({
      child: ours,
      pid: stranger.pid ?? 0,
      match: { instance: randomId(), marker: randomId() },
      platform,
      clock: systemClock,
      uptime: () => uptime() - 3600, // our leader was reaped an hour ago, the stranger started just now
    });
    await once(ours, 'exit');
    try {
      expect(await mistaken.members()).toEqual([]);
      await mistaken.signal('SIGTERM');
      expect(await mistaken.kill()).toEqual([]);
      await pause(50);
      expect(stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });
});

import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import { loginPathOf } from './login-path.ts';
import type { Surroundings } from './runner.ts';

/** A home whose bash runs this when somebody logs in. */
async function homeOf(bashrc: string, changes: Partial<Surroundings> = {}) {
  const homeDir = await mkdtemp(join(tmpdir(), 'longshore-'));
  await writeFile(join(homeDir, '.bash_profile'), bashrc);
  const env = { PATH: '/usr/bin:/bin', HOME: homeDir, SHELL: '/bin/bash', SECRET_OF_OURS: 'x' };
  return processSurroundings({ homeDir, env, ...changes });
}

/** Two seconds pass in a tenth of one. */
const fastClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };

describe('users 32: loginPathOf', () => {
  it('tells the folders that the login shell puts on its PATH, whatever else it prints', async () => {
    const around = await homeOf('echo Welcome; export PATH="/from/profile:relative:$PATH"; echo PATH=/fooled\n');
    const [first, ...rest] = await loginPathOf(around);
    expect(first).toBe('/from/profile');
    expect(rest).toContain('/usr/bin');
    expect(rest).not.toContain('relative');
    expect(rest).not.toContain('/fooled');
  });

  it('asks once for the same surroundings, ten callers together', async () => {
    const around = await homeOf('echo asked >> "$HOME/count"; export PATH="/from/profile:$PATH"\n');
    const answers = await Promise.all(Array.from({ length: 10 }, () => loginPathOf(around)));
    expect(new Set(answers.map(String)).size).toBe(1);
    await loginPathOf(around);
    expect(await readFile(join(around.homeDir, 'count'), 'utf8')).toBe('asked\n');
  });

  it('shows the shell no more of our environment than a server gets', async () => {
    const around = await homeOf('env > "$HOME/seen"\n');
    await loginPathOf(around);
    expect(await readFile(join(around.homeDir, 'seen'), 'utf8')).not.toContain('SECRET_OF_OURS');
  });

  it.each([
    ['sleeps', 'sleep 1000'],
    ['waits for input', 'read -r answer; sleep 1000'],
    ['floods', 'while :; do echo flood; done'],
    ['leaves something running', 'setsid sleep 1000 & exit'],
    ['ignores signals', 'trap "" TERM HUP INT; sleep 1000'],
  ])('gives up on a shell that %s, and leaves nothing of it', async (_what, script) => {
    const around = await homeOf(`${script}\n`, { clock: fastClock });
    expect(await loginPathOf(around)).toEqual([]);
    expect(await survivors(around)).toEqual([]);
  });

  it.each([['/nowhere/shell'], ['/bin/false'], ['not-absolute']])('has no answer from %s', async shell => {
    const around = await homeOf('');
    expect(await loginPathOf({ ...around, env: { ...around.env, SHELL: shell } })).toEqual([]);
  });

  it('asks no shell on Windows', async () => {
    expect(await loginPathOf(await homeOf('', { platform: 'win32' }))).toEqual([]);
  });
});

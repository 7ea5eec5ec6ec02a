import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { posix } from 'node:path';
import { serverEnvironment } from './environment.ts';
import { killMarked } from './marked-processes.ts';
import type { Surroundings } from './runner.ts';

const limit = 2_000;
const rounds = 20;
const maxCharacters = 1024 * 1024;
const mark = '--longshore-path--';

const asked = new WeakMap<Surroundings, Promise<readonly string[]>>();

/** The same answer every time: the login shell is asked once for these surroundings. */
export function loginPathOf(around: Surroundings): Promise<readonly string[]> {
  const known = asked.get(around) ?? askLoginShell(around);
  asked.set(around, known);
  return known;
}

/**
 * The PATH that the user's login shell sets up, as folders: that is where nvm, Homebrew and others write themselves to,
 * and what a program does not have that a desktop started. The shell runs without a terminal and without input in a
 * process group of its own, which is killed when it has answered or after 2 s, with all that it started. Empty if it cannot be told.
 */
export async function askLoginShell(around: Surroundings): Promise<readonly string[]> {
  const { platform, clock, watchdog, instance } = around;
  if (platform === 'win32') return [];
  const marker = around.randomId();
  const shell = around.env['SHELL'] ?? (platform === 'darwin' ? '/bin/zsh' : '/bin/sh');
  // Interactive too: most managers write to .bashrc or .zshrc. `env` prints the same for every kind of shell.
  const question = `echo ${mark}; /usr/bin/env; echo ${mark}`;
  const child = spawn(shell, ['-ilc', question], {
    env: serverEnvironment(around.env, platform, { TERM: 'dumb' }, watchdog.markerEnv(marker)),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const done = new AbortController();
  const answered = Promise.withResolvers<void>();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.split(mark).length > 2 || text.length > maxCharacters) answered.resolve();
  });
  const exit = once(child, 'exit').catch(() => undefined); // rejects if there is no such shell
  child.stdout.once('close', answered.resolve);
  const late = clock.sleep(limit, done.signal).catch(() => undefined);
  await Promise.race([answered.promise, late]);
  done.abort();
  child.stdout.destroy();
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, 'SIGKILL'); // its leader is not reaped yet, so the group is ours
  }
  await exit;
  await killMarked({ instance, marker }, { platform, rounds }); // what its start-up files left running
  const [, answer = ''] = text.split(mark);
  const path = /^PATH=(.*)$/m.exec(answer)?.[1] ?? '';
  return path.split(':').filter(folder => posix.isAbsolute(folder));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import { makeFolder } from '../core/make-folder.ts';
import { ask } from './ask.ts';
import { type Found, findService } from './find-service.ts';
import type { Target } from './target.ts';

/** How a service is started in the background. */
export interface StartOptions {
  readonly home: string;
  /** Milliseconds until it must be ready. */
  readonly budget: number;
  /** What the service inherits; LONGSHORE_HOME is set to the home. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The launcher of this package, seen from src/client and dist/client alike. */
const launcher = join(import.meta.dirname, '..', '..', 'bin', 'longshore.js');

const pollMilliseconds = 25;
/** How long another program that has the home may take until it listens, if it ever does. */
const otherPatience = 10_000;
/** Polls between the end of our process and the belief that no other one has won the home from it. */
const pollsToBelieve = 8;

/**
 * Starts the service of a home and waits until it is ready; where several start it at once, all get the one that won,
 * and where one is just starting that one. Rejects with `failed-to-start` and its last words, `timeout`, `home-in-use`,
 * `cancelled`, or `bad-setting` where the home cannot be made.
 */
export async function startService(options: StartOptions): Promise<Target> {
  const { home, signal } = options;
  // A note may be of a run that has died: it stays until the next one writes its own.
  const before = findService(home);
  if (before.as === 'other')
    return await untilReady(home, () => undefined, Math.min(options.budget, otherPatience), signal);
  const logs = join(home, 'logs');
  makeFolder(logs);
  const lastWords = join(logs, `start-${process.pid}.log`);
  try {
    const child = spawnDetached(options, lastWords);
    let polls = 0;
    const failure = (found: Found) => {
      polls = hasEnded(child) && pidOf(found) === pidOf(before) ? polls + 1 : 0;
      return polls > pollsToBelieve ? failedToStart(lastWords) : undefined;
    };
    return await untilReady(home, failure, options.budget, signal);
  } finally {
    rmSync(lastWords, { force: true });
  }
}

async function untilReady(
  home: string,
  failure: (found: Found) => LongshoreError | undefined,
  budget: number,
  signal: AbortSignal | undefined,
): Promise<Target> {
  const deadline = Date.now() + budget;
  for (;;) {
    const found = findService(home);
    if (found.as === 'service' && (await isReady(found.target, signal))) return found.target;
    const failed = failure(found);
    if (failed) throw failed;
    if (Date.now() > deadline) throw tooLate(found, home, budget);
    if (signal?.aborted) throw new LongshoreError('cancelled', 'It was cancelled.');
    await systemClock.sleep(pollMilliseconds);
  }
}

function pidOf(found: Found): number | undefined {
  return found.as === 'nobody' ? undefined : found.pid;
}

function spawnDetached({ home, env }: StartOptions, lastWords: string): ChildProcess {
  const output = openSync(lastWords, 'w', 0o600);
  try {
    const child = spawn(process.execPath, [launcher, 'serve', '--background'], {
      cwd: home,
      env: { ...env, LONGSHORE_HOME: home },
      detached: true,
      stdio: ['ignore', output, output],
      windowsHide: true,
    });
    // An error is told by what it leaves: no process, and no service.
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined;
}

async function isReady(target: Target, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return (await ask(target, 'GET /api/health', signal ? { signal } : {})).ready;
  } catch (error) {
    if (error instanceof LongshoreError && error.code === 'cancelled') throw error;
    return false;
  }
}

function failedToStart(lastWords: string): LongshoreError {
  const said = readFileSync(lastWords, 'utf8').trim().split('\n').slice(-5).join('\n');
  return new LongshoreError(
    'failed-to-start',
    said === '' ? 'The service did not start. Run: longshore serve' : `The service did not start. It said: ${said}`,
  );
}

function tooLate(found: Found, home: string, budget: number): LongshoreError {
  if (found.as === 'other') {
    return new LongshoreError(
      'home-in-use',
      `The home ${home} is in use by process ${found.pid}, which is no service that could be asked. Stop that program, or choose another home with LONGSHORE_HOME.`,
      { data: { home, pid: found.pid } },
    );
  }
  return new LongshoreError(
    'timeout',
    `The service was not ready within ${budget / 1000} s. See what it says: longshore serve`,
  );
}

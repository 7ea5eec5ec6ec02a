import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { InstanceId } from '../../core/ids.ts';
import type { Log } from '../../core/ports/log.ts';
import { markerText, markerVariable } from '../marked-processes.ts';
import type { ContainerTask, WatchdogLine } from './watchdog-tasks.ts';

/** The handle on the tiny program that cleans up after our death (R5). Disposing of it tells it to leave quietly. */
export interface Watchdog extends AsyncDisposable {
  /**
   * Environment to add to every process we start: the marker by which the watchdog knows ours. The watchdog runs when
   * this returns.
   */
  markerEnv(marker: string): Readonly<Record<string, string>>;
  /** Names a process that is ours, for systems where the marker of a process cannot be read (Windows). */
  track(pid: number): void;
  /** That process is gone, and its number may be somebody else's. */
  untrack(pid: number): void;
  /** Adds containers to what is removed at our death, each task once; may be called before there are any. */
  assign(task: ContainerTask): void;
}

/** What a watchdog is made from. */
export interface WatchdogSetup {
  readonly instance: InstanceId;
  readonly log: Log;
  /** Our own environment, for the few names that Node and the system's tools need. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

const program = fileURLToPath(new URL(`watchdog-main${extname(import.meta.url)}`, import.meta.url));

/**
 * Never a marker of its own: a Longshore inside a Longshore is ended by the outer one, and its watchdog has to outlive
 * that. Never NODE_OPTIONS either.
 */
const passed = ['PATH', 'Path', 'HOME', 'SystemRoot', 'USERPROFILE', 'TMPDIR', 'TEMP'];
const patience = 2_000;
const maxStarts = 5;

/** One watchdog per host. Its process starts with the first marker, and again should somebody end it. */
export function startWatchdog({ instance, log, env, platform }: WatchdogSetup): Watchdog {
  const tracked = new Set<number>();
  const tasks: ContainerTask[] = [];
  let child: ChildProcess | undefined;
  let starts = 0;
  let disposed: Promise<void> | undefined;

  /** Starts the program if it does not run; it is then told all there is to know. */
  function run(): void {
    if (child !== undefined || disposed !== undefined || starts >= maxStarts) return;
    starts++;
    // The write end of this pipe is closed in every other child (close-on-exec), so only our death ends it.
    const started = spawn(process.execPath, [program, instance], {
      cwd: platform === 'win32' ? undefined : '/',
      env: Object.fromEntries(passed.map(name => [name, env[name]])),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      windowsHide: true,
    });
    child = started;
    started.once('error', error => {
      child = undefined;
      log.error(
        { error: error.message },
        'The watchdog could not be started; what runs now would outlive a kill of Longshore.',
      );
    });
    started.once('exit', () => {
      child = undefined;
      if (disposed === undefined) log.warn({ starts, maxStarts }, 'The watchdog ended; another one takes its place.');
      run();
    });
    started.stdin?.on('error', () => undefined); // it is gone: `exit` tells
    started.unref();
    if (started.stdin instanceof Socket) started.stdin.unref();
    for (const pid of tracked) tell({ track: pid });
    for (const task of tasks) tell({ task });
  }

  function tell(line: WatchdogLine): void {
    child?.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  async function leave(): Promise<void> {
    const leaving = child;
    if (leaving === undefined) return;
    leaving.ref();
    const exit = once(leaving, 'exit');
    tell({ leave: true });
    const late = new AbortController();
    await Promise.race([exit, pause(patience, undefined, { signal: late.signal })]);
    late.abort();
    leaving.kill('SIGKILL');
    await exit;
  }

  return {
    markerEnv(marker) {
      run();
      return { [markerVariable]: markerText(instance, marker) };
    },
    track(pid) {
      tell({ track: pid });
      tracked.add(pid);
      run();
    },
    untrack(pid) {
      tracked.delete(pid);
      tell({ untrack: pid });
    },
    assign(task) {
      if (tasks.some(known => isDeepStrictEqual(known, task))) return;
      tell({ task });
      tasks.push(task);
      run();
    },
    async [Symbol.asyncDispose]() {
      disposed ??= leave();
      await disposed;
    },
  };
}

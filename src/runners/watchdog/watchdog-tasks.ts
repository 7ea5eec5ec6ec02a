import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

// The watchdog runs this file too, with nothing but Node around it: it may import nothing of ours.

/**
 * What else is to be done at our death, as plain data (it travels to the watchdog as a line of JSON): remove every
 * container that carries this label. `label` must hold an id that nobody else has; it is the proof of ownership.
 */
export interface ContainerTask {
  readonly label: `${string}=${string}`;
  /** The docker (or podman) program, by absolute path or by the `PATH` of `env`. */
  readonly program: string;
  /** Flags before the command that name the engine, such as `--context x`. */
  readonly globals: readonly string[];
  /** The whole environment of the CLI. */
  readonly env: Readonly<Record<string, string>>;
}

/** One line from the host to its watchdog. */
export type WatchdogLine =
  /** A process to end at our death, where markers cannot be read (Windows), and no longer. */
  | { readonly track: number }
  | { readonly untrack: number }
  | { readonly task: ContainerTask }
  /** Nothing is left to clean up: leave quietly. */
  | { readonly leave: true };

const rounds = 30;
/** Milliseconds between two looks. */
const pauseBetween = 1_000;
/** How many looks in a row must find nothing: a container can appear some 3 s after its CLI was killed. */
const enoughClean = 4;
const commandLimit = 30_000;

/** Force-removes every container of a task, in rounds: one that was being created when we died appears a moment later. */
export async function runTask(task: ContainerTask): Promise<void> {
  for (let round = 0, clean = 0; round < rounds && clean < enoughClean; round++) {
    if (round > 0) await pause(pauseBetween);
    const listed = await docker(task, ['ps', '-aq', '--no-trunc', '--filter', `label=${task.label}`]);
    const ids = listed?.split('\n').filter(id => id !== '') ?? [];
    clean = listed !== undefined && ids.length === 0 ? clean + 1 : 0;
    if (ids.length > 0) await docker(task, ['rm', '-f', '-v', ...ids]);
  }
}

/** Removes the folders in which that run of the host waited for the ids of containers (`createCidFile`). */
export async function removeIdFiles(instance: string): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter(one => one.startsWith(`longshore-cid-${instance}-`))) {
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The command's stdout, or `undefined` if it failed: an engine that restarts may answer in the next round. */
function docker({ program, globals, env }: ContainerTask, args: readonly string[]): Promise<string | undefined> {
  return new Promise(resolve => {
    const options = { env, timeout: commandLimit, windowsHide: true };
    execFile(program, [...globals, ...args], options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}

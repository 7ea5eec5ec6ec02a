import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { LongshoreError } from '../core/errors.ts';
import type { Environment } from './environment.ts';

/** A program as the system is to start it. */
export interface Program {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Environment;
  readonly cwd: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** A process that runs, with its three pipes. */
export interface Spawned {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Starts a program without a shell, in a group (and session) of its own: a Ctrl-C in our terminal is ours alone, and
 * the group can be signalled as one. Rejects with `failed-to-start`. Listen to its stdout in the same turn.
 */
export async function spawnGroup({ file, args, env, cwd, platform }: Program): Promise<Spawned> {
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: platform !== 'win32',
      windowsHide: true,
      shell: false,
    });
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return { process: child, pid: child.pid, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr };
  } catch (error) {
    throw new LongshoreError('failed-to-start', `${file} could not be started: ${reason(error)}.`, { cause: error });
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
      return 'its file may not be executed; check its permissions';
    case 'ENOENT':
      return 'the file, or the interpreter that its first line names, does not exist';
    case 'E2BIG':
      return 'its arguments and environment are too long together';
    case undefined:
    default:
      return message;
  }
}

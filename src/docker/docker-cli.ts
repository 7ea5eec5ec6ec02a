import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { LongshoreError } from '../core/errors.ts';

/** What one command of the docker CLI may take, and who hears its output. */
export interface CliOptions {
  /** Milliseconds; then the CLI's process is ended and the command rejects with `timeout`. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
  /** Every line of stdout and stderr as it comes: progress for a person, never parsed. */
  readonly onLine?: (line: string) => void;
  /** Added to the CLI's environment, for what goes on by itself when we die: the mark by which it is known as ours. */
  readonly marker?: Readonly<Record<string, string>>;
}

/** How a command ended. A command that a signal ended has the shell's code for it, 128 + number. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The docker (or podman) command, with the global flags and the environment that name one engine. */
export interface DockerCli {
  readonly program: string;
  /** Flags before the command, such as `--context x`: every command has to name the same engine. */
  readonly globals: readonly string[];
  /** The whole environment of the CLI's processes. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Runs one command to its end, whatever its exit code. Rejects with `timeout`, `cancelled` or `docker-unavailable`
   * (no such program), and only after the CLI's process is gone. Ending the CLI never ends a container.
   */
  run(args: readonly string[], options: CliOptions): Promise<CliResult>;
}

/** What names a CLI and its engine. */
export interface DockerCliSetup {
  readonly program?: string;
  readonly globals?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const stdoutLimit = 16 * 1024 * 1024;
const stderrLimit = 64 * 1024;
/** Milliseconds between the polite end of a CLI process and the other one. */
const patience = 2_000;

/** The one place that runs the docker CLI to its end; attached `docker run`s belong to the runners. */
export function createDockerCli({ program = 'docker', globals = [], env }: DockerCliSetup): DockerCli {
  return {
    program,
    globals,
    env,
    run: (args, options) => runCli(program, globals, args, env, options),
  };
}

function runCli(
  program: string,
  globals: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { deadline, signal, onLine, marker }: CliOptions,
): Promise<CliResult> {
  if (signal?.aborted) return Promise.reject(cancelled(args));
  return new Promise((resolve, reject) => {
    // A group of its own: Ctrl-C at our terminal must not interrupt a removal that is on its way.
    const child = spawn(program, [...globals, ...args], {
      env: { ...env, ...marker },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    let failure: LongshoreError | undefined;
    let lastResort: NodeJS.Timeout | undefined;

    const end = (why: LongshoreError) => {
      if (failure) return;
      failure = why;
      killGroup(child.pid, 'SIGTERM');
      lastResort = setTimeout(() => {
        killGroup(child.pid, 'SIGKILL');
        child.stdout.destroy();
        child.stderr.destroy();
      }, patience);
    };
    const onAbort = () => end(cancelled(args));
    const timer = setTimeout(() => end(expired(args, deadline)), deadline);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      clearTimeout(lastResort);
      signal?.removeEventListener('abort', onAbort);
      outcome();
    };

    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (stdout.length + chunk.length > stdoutLimit) return end(tooMuch(args));
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-stderrLimit);
    });
    if (onLine) {
      for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
    }
    child.once('error', error => settle(() => reject(cannotRun(program, error))));
    child.once('close', (code, killedBy) => {
      const status = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
      settle(() => (failure ? reject(failure) : resolve({ code: status, stdout, stderr })));
    });
  });
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It ended by itself in this moment.
  }
}

/** `docker rm …`, for messages: the first words only, since what follows may be long. */
function shown(args: readonly string[]): string {
  return `docker ${args.slice(0, 3).join(' ')}${args.length > 3 ? ' …' : ''}`;
}

function cancelled(args: readonly string[]): LongshoreError {
  return new LongshoreError('cancelled', `${shown(args)} was cancelled.`);
}

function expired(args: readonly string[], deadline: number): LongshoreError {
  return new LongshoreError(
    'timeout',
    `${shown(args)} did not end within ${deadline / 1000} s. Is the Docker engine overloaded, or its registry stuck?`,
  );
}

function tooMuch(args: readonly string[]): LongshoreError {
  return new LongshoreError('docker-failed', `${shown(args)} printed more than ${stdoutLimit / 1024 / 1024} MiB.`);
}

function cannotRun(program: string, cause: Error): LongshoreError {
  const missing = 'code' in cause && cause.code === 'ENOENT';
  return new LongshoreError(
    'docker-unavailable',
    missing
      ? `The command "${program}" was not found. Install Docker (or podman), or put it on the PATH.`
      : `The command "${program}" could not be run: ${cause.message}.`,
    { cause },
  );
}

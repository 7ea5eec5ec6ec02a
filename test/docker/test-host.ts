import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MCPServerConfig } from '../../src/index.ts';
import { eventually } from '../e2e/run-longshore.ts';

const program = fileURLToPath(new URL('../fixtures/container-host.ts', import.meta.url));

/** What a host program is told: what it loads, and which tool of each server it calls without ever getting an answer. */
export interface HostTask {
  readonly home: string;
  /** Configs, and image references. */
  readonly configs: readonly (MCPServerConfig | string)[];
  readonly call?: string;
}

/** One line that a host program told. */
export interface Told {
  /** A config's name or an image reference. */
  readonly server?: string;
  readonly phase?: string;
  readonly done?: string;
  readonly error?: string;
}

/** How a host program ends: asked in words, or by a signal. */
export type HostEnd = 'unload' | 'dispose' | 'SIGTERM' | 'SIGKILL';

/** A running host program (test/fixtures/container-host.ts), and everything it has told. */
export class TestHost {
  readonly child: ChildProcess;
  readonly told: Told[] = [];
  readonly #servers: number;

  constructor(task: HostTask, env: Readonly<Record<string, string>> = {}) {
    this.#servers = task.configs.length;
    this.child = spawn(process.execPath, [program, JSON.stringify(task)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    if (this.child.stdout)
      createInterface({ input: this.child.stdout }).on('line', line => this.told.push(JSON.parse(line)));
  }

  /** True once every server, or as many as said, has told that phase; false after three minutes. */
  async reached(phase: string, servers = this.#servers): Promise<boolean> {
    const told = () => new Set(this.told.filter(line => line.phase === phase).map(line => line.server));
    return await eventually(async () => told().size >= servers, 180_000);
  }

  /** Says something to it and does not wait for it. */
  ask(what: 'unload' | 'dispose'): void {
    this.child.stdin?.write(`${what}\n`);
  }

  /** Ends it that way, and settles when its process is gone. */
  async end(how: HostEnd): Promise<void> {
    const exited = once(this.child, 'exit');
    if (how === 'SIGTERM' || how === 'SIGKILL') {
      this.child.kill(how);
      await exited;
      return;
    }
    this.ask(how);
    if (!(await eventually(async () => this.told.some(line => line.done === how), 60_000))) {
      throw new Error(`${how} did not end: ${JSON.stringify(this.told)}`);
    }
    this.child.kill('SIGTERM');
    await exited;
  }
}

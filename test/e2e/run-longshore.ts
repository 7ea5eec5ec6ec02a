import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A fixture server's path. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/servers/${name}.js`, import.meta.url));
}

/** How a run of the command line ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The Node that a user has: the system's own, outside the checkout, where there is one; else the one running the tests. */
export function systemNode(): string {
  const folders = (process.env['PATH'] ?? '').split(':').filter(folder => !folder.includes('node_modules'));
  return folders.map(folder => `${folder}/node`).find(path => existsSync(path)) ?? process.execPath;
}

/** Starts the command line as a user does: the launcher, under the system's Node. */
export function startLongshore(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd?: string; readonly stdin?: 'ignore' | 'pipe' } = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(systemNode(), [`${root}/bin/longshore.js`, ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Runs the command line to its end. */
export function runLongshore(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
): Promise<Ended> {
  return startLongshore(args, options).ended;
}

/** The live processes that have a text in their environment or command line: how a stranger would look for leftovers. */
export async function processesWith(text: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const [environ, cmdline, stat] = await Promise.all(
      ['environ', 'cmdline', 'stat'].map(file => readFile(`/proc/${name}/${file}`, 'latin1').catch(() => '')),
    );
    const zombie = / Z /.test(stat?.slice(stat.lastIndexOf(')')) ?? '');
    if (!zombie && (environ?.includes(text) || cmdline?.includes(text))) found.push(Number(name));
  }
  return found;
}

/** Asks again every 50 ms until the answer is yes; false when the time is over. */
export async function eventually(question: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  for (;;) {
    if (await question()) return true;
    if (Date.now() > end) return false;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** The direct children of a process. */
export async function childrenOf(pid: number | undefined): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

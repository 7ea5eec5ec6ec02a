/**
 * What a command line costs over the bare launcher: `--help`, and calls through a running service, against the same
 * launcher running an empty script. All in turn, in one run.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, systemNode } from '../e2e/run-longshore.ts';
import { report, timeInTurn } from './measure.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'));
const env = { ...process.env, LONGSHORE_HOME: join(folder, 'home') };
const launcher = join(root, 'bin', 'longshore.js');

/** The launcher with nothing to launch: the same files, but the program is empty. */
function emptyLauncher(): string {
  const empty = join(folder, 'empty');
  cpSync(join(root, 'bin'), join(empty, 'bin'), { recursive: true });
  mkdirSync(join(empty, 'dist', 'cli'), { recursive: true });
  writeFileSync(join(empty, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(empty, 'dist', 'cli', 'main.js'), 'export {};\n');
  const node = join(empty, 'node_modules', 'node', 'bin');
  mkdirSync(node, { recursive: true });
  symlinkSync(process.execPath, join(node, 'node'));
  return join(empty, 'bin', 'longshore.js');
}

const empty = emptyLauncher();
const longshore = async (...args: string[]) => void (await run(systemNode(), [launcher, ...args], { env }));

await longshore('agent', 'ls');
try {
  const medians = await timeInTurn(
    [
      { name: 'the launcher with an empty script', run: async () => void (await run(systemNode(), [empty], { env })) },
      { name: '--help', run: () => longshore('--help') },
      { name: 'status', run: () => longshore('status') },
      { name: 'list', run: () => longshore('list') },
      { name: 'audit --json', run: () => longshore('audit', '--json') },
    ],
    Number(process.env['ROUNDS'] ?? 20),
  );
  report('a command line (medians)', medians);
} finally {
  await longshore('stop');
  rmSync(folder, { recursive: true, force: true });
}

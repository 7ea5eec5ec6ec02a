import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check, ScenarioRun } from './verdict.ts';

const folder = import.meta.dirname;
const packageName = '@modelcontextprotocol/conformance';
const installed = join(folder, 'node_modules', packageName);
const program = join(installed, 'dist', 'index.js');

/** Milliseconds for one scenario (R81); the harness itself gets a little more. */
const scenarioTimeout = 60_000;
const harnessTimeout = 90_000;

interface Ended {
  readonly exit: number | null;
  readonly output: string;
}

function run(command: string, args: readonly string[], timeout: number): Promise<Ended> {
  return new Promise(resolve => {
    execFile(command, [...args], { cwd: folder, timeout, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ exit, output: `${stdout}${stderr}` });
    });
  });
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8')) as unknown;
}

/** The versions of the harness that package.json asks for, the lock pins, and the folder holds; and the lock's integrity. */
export interface Pin {
  readonly asked: string | undefined;
  readonly lockAsked: string | undefined;
  readonly locked: string | undefined;
  readonly integrity: string | undefined;
  readonly installed: string | undefined;
}

interface Manifest {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Reads the pin from its three places (R80, R84). */
export async function readPin(): Promise<Pin> {
  const manifest = (await readJson(join(folder, 'package.json'))) as Manifest;
  const lock = (await readJson(join(folder, 'package-lock.json'))) as { packages: Readonly<Record<string, Manifest>> };
  const entry = lock.packages[`node_modules/${packageName}`];
  const present = (await readJson(join(installed, 'package.json')).catch(() => undefined)) as Manifest | undefined;
  return {
    asked: manifest.dependencies?.[packageName],
    lockAsked: lock.packages['']?.dependencies?.[packageName],
    locked: entry?.version,
    integrity: entry?.integrity,
    installed: present?.version,
  };
}

/** Installs exactly what the lock says, without running any script of it (R80). Gives npm's output where that failed. */
async function install(): Promise<string | undefined> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { exit, output } = await run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], 300_000);
  return exit === 0 ? undefined : output;
}

/**
 * Whether this machine has the harness, or can get it; the reason if not. In CI a missing one is a failure, elsewhere
 * its tests are left out with one line that says so.
 */
export async function provideHarness(): Promise<string | undefined> {
  const { asked, installed } = await readPin();
  const failed = installed === asked ? undefined : await install();
  if (failed === undefined) return undefined;
  if (process.env['CI'] === 'true')
    throw new Error(`CI must run the conformance harness, but npm ci failed:\n${failed}`);
  process.stderr.write('Conformance left out: the harness is not installed, and npm ci in test/conformance failed\n');
  return failed;
}

/** Which side of the protocol is examined. */
export type Side = 'client' | 'server';

/** The scenarios that the harness says a revision requires of one side. */
export async function requiredScenarios(revision: string, side: Side): Promise<readonly string[]> {
  const { exit, output } = await run(process.execPath, [program, 'list', '--requirements', revision], harnessTimeout);
  if (exit !== 0) throw new Error(`The harness could not list what ${revision} requires:\n${output}`);
  const scenarios = listedScenarios(output, side);
  if (scenarios.length === 0) throw new Error(`The harness lists no ${side} scenarios for ${revision}:\n${output}`);
  return scenarios;
}

/** The names below "Client scenarios" or "Server scenarios" in the harness's list, up to the next blank line. */
export function listedScenarios(list: string, side: Side): readonly string[] {
  const lines = list.split('\n');
  const start = lines.findIndex(line => line.toLowerCase().startsWith(`${side} scenarios`));
  if (start === -1) return [];
  const end = lines.findIndex((line, index) => index > start && line.trim() === '');
  return lines.slice(start + 1, end === -1 ? undefined : end).flatMap(line => /^\s+- (\S+)/.exec(line)?.[1] ?? []);
}

/** Runs one scenario against our client. */
export function runClientScenario(scenario: string, revision: string): Promise<ScenarioRun> {
  const command = `"${process.execPath}" "${join(folder, 'client.ts')}"`;
  return runScenario(scenario, revision, ['client', '--command', command]);
}

/** Runs one scenario against the server at that address. */
export function runServerScenario(scenario: string, revision: string, url: string): Promise<ScenarioRun> {
  return runScenario(scenario, revision, ['server', '--url', url]);
}

async function runScenario(scenario: string, revision: string, examined: readonly string[]): Promise<ScenarioRun> {
  const results = await mkdtemp(join(tmpdir(), 'longshore-conformance-'));
  try {
    const { exit, output } = await run(
      process.execPath,
      [
        ...[program, ...examined, '--scenario', scenario, '--spec-version', revision],
        ...['--timeout', String(scenarioTimeout), '--output-dir', results],
      ],
      harnessTimeout,
    );
    return { scenario, revision, exit, output, checks: await readChecks(results) };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

async function readChecks(results: string): Promise<readonly Check[]> {
  const [run] = await readdir(results);
  if (run === undefined) return [];
  const checks = await readJson(join(results, run, 'checks.json')).catch(() => []);
  return checks as readonly Check[];
}

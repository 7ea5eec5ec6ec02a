import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Target } from '../fixtures/mcp-clients.ts';

const packages = join(import.meta.dirname, 'node_modules');
const inspector = join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const mcporter = join(packages, 'mcporter/dist/cli.js');

/** Milliseconds: they load hundreds of files before they say anything. */
const ownTimeout = 60_000;

/** A client that nobody here wrote, run as its users do: one command, one answer. */
export interface ClientProgram {
  readonly name: string;
  /** The names of the tools. */
  tools(target: Target): Promise<readonly string[]>;
  /** The result's text. */
  call(target: Target, tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Installs what package-lock.json pins, without running any script of it. Gives npm's output where that failed. */
export async function provideClients(): Promise<string | undefined> {
  if (existsSync(inspector) && existsSync(mcporter)) return undefined;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const failed = await new Promise<string | undefined>(resolve => {
    execFile(npm, args, { cwd: import.meta.dirname, timeout: 300_000 }, (error, stdout, stderr) => {
      resolve(error === null ? undefined : `${stdout}${stderr}`);
    });
  });
  if (failed === undefined) return undefined;
  if (process.env['CI'] === 'true') throw new Error(`CI must run the other clients, but npm ci failed:\n${failed}`);
  process.stderr.write('Other clients left out: they are not installed, and npm ci in test/clients failed\n');
  return failed;
}

/** The Inspector's command line, in one era of the protocol. */
function inspectorProgram(era: 'legacy' | 'modern'): ClientProgram {
  const ask = (target: Target, ...request: readonly string[]): Promise<Json> =>
    withConfig(target, async config => {
      const args = ['--cli', '--config', config, '--server', 'longshore', '--protocol-era', era];
      const answer = await run(inspector, [...args, ...request, '--format', 'json', '--quiet'], dirname(config));
      return answer.result ?? answer;
    });
  return {
    name: `the Inspector's command line (${era})`,
    tools: async target => named((await ask(target, '--method', 'tools/list')).tools),
    async call(target, tool, args) {
      const how = ['--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
      return (await ask(target, '--method', 'tools/call', ...how)).content[0].text;
    },
  };
}

const mcporterProgram: ClientProgram = {
  name: 'mcporter',
  tools: target =>
    withConfig(target, async config => {
      return named((await run(mcporter, ['--config', config, 'list', 'longshore', '--json'], dirname(config))).tools);
    }),
  call: (target, tool, args) =>
    withConfig(target, async config => {
      const how = ['--args', JSON.stringify(args), '--output', 'json'];
      const answer = await run(mcporter, ['--config', config, 'call', `longshore.${tool}`, ...how], dirname(config));
      return answer.content[0].text;
    }),
};

export const clientPrograms: readonly ClientProgram[] = [
  inspectorProgram('legacy'),
  inspectorProgram('modern'),
  mcporterProgram,
];

// What programs print is of every shape.
type Json = ReturnType<typeof JSON.parse>;

function named(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}

/** A configuration file with one server, in a folder that the program has for itself as its home. */
async function withConfig<T>(target: Target, use: (config: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'longshore-client-'));
  try {
    const server =
      'url' in target
        ? { type: 'http', url: target.url, headers: { Authorization: `Bearer ${target.token}` } }
        : { type: 'stdio', command: target.command, args: target.args, env: target.env };
    const config = join(home, 'servers.json');
    await writeFile(config, JSON.stringify({ mcpServers: { longshore: server } }));
    await mkdir(join(home, '.config'));
    return await use(config);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], home: string): Promise<Json> {
  // The Node that runs the tests comes first: these programs need a newer one than the machine may have.
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const env = { PATH: path, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), NO_COLOR: '1', CI: 'true' };
  return new Promise((resolve, reject) => {
    const options = { cwd: home, env, timeout: ownTimeout, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${args.join(' ')} ended with ${error?.code ?? 0}:\n${stdout}${stderr}`));
      }
    });
    child.stdin?.end();
  });
}

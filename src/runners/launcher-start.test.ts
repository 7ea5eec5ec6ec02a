import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerGround } from '../../test/fixtures/container-context.ts';
import { rejection } from '../../test/fixtures/http-client.ts';
import { openRequest, processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import { processRunner } from './process.ts';

const serve = `
  process.stdin.on('data', chunk => String(chunk).split('\\n').filter(Boolean).forEach(line => {
    const { id, method } = JSON.parse(line);
    const text = JSON.stringify({ cwd: process.cwd(), env: process.env });
    const result = { initialize: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: text, version: '1' } } }[method];
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }));
  }));`;

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'longshore-launchers-')));
});
afterAll(() => rm(folder, { recursive: true }));

/** A program called uvx that does that before it serves. */
async function launcher(script: string): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'bin-')), 'uvx');
  await writeFile(file, `#!${process.execPath}\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** One home for all. */
const ground = containerGround();

const around = (env: Record<string, string> = {}, home?: string) =>
  processSurroundings({
    env: { PATH: process.env['PATH'] ?? '', ...env },
    containers: ground,
    serversFolder: home && `${home}-servers`,
  });

async function start(
  command: string,
  { args = ['x'], deadlines = {}, env = {}, home = undefined as string | undefined } = {},
) {
  const world = around(env, home);
  const details: (string | undefined)[] = [];
  const request = openRequest(world, {
    deadlines: { ...defaultDeadlines, openLauncher: 1_500, launcherTotal: 20_000, ...deadlines },
    onPhase: (_phase, detail) => details.push(detail),
  });
  try {
    const opened = await processRunner.open({ kind: 'process', command, args, env: {} }, request);
    await opened.closeForcibly(AbortSignal.timeout(10_000));
    const { initialize } = opened.probe as unknown as { initialize: { serverInfo: { name: string } } };
    return { said: JSON.parse(initialize.serverInfo.name), details };
  } finally {
    expect(await survivors(world)).toEqual([]);
  }
}

describe('P8: a launcher that downloads', () => {
  it('has as long as it works, be it without a word, and starts', async () => {
    const works = `const fs = require('node:fs'); let n = 0;
      const timer = setInterval(() => { fs.writeFileSync(${JSON.stringify(join(folder, 'cache'))}, 'x'.repeat(4096)); if (++n === 16) { clearInterval(timer); ${serve} } }, 250);`;
    expect((await start(await launcher(works))).said.cwd).toBeDefined();
  });

  it('tells its last line as the progress of the start', async () => {
    const tells = `let n = 0; const timer = setInterval(() => { console.error('Downloading numpy ' + ++n); if (n === 10) { clearInterval(timer); ${serve} } }, 250);`;
    const { details } = await start(await launcher(tells));
    expect(details).toEqual(expect.arrayContaining(['Downloading numpy 1', 'Downloading numpy 9']));
  });

  it('that hangs is ended, and the setting is named', async () => {
    const failure = await rejection(start(await launcher("console.error('Resolving'); setInterval(() => {}, 1e6);")));
    expect(failure).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/no sign of work for 1\.5 s.*openLauncher[\s\S]*Resolving/),
    });
  });

  it('that works for ever is ended too, and the setting is named', async () => {
    const busy = await launcher("setInterval(() => console.error('still'), 200);");
    const failure = await rejection(start(busy, { deadlines: { launcherTotal: 2_500 } }));
    expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('launcherTotal') });
  });

  it.each([
    ['error: nothing-such was not found in the package registry', 'There is no such package'],
    ['  × No solution found when resolving tool dependencies', '--python VERSION'],
    ['error: Failed to fetch: dns error: Temporary failure in name resolution', 'cannot be reached'],
  ])('that fails says what that means: %s', async (line, meaning) => {
    const failure = await rejection(start(await launcher(`console.error(${JSON.stringify(line)}); process.exit(1);`)));
    expect(failure).toMatchObject({ code: 'failed-to-start', message: expect.stringContaining(meaning) });
    expect(String(failure)).toContain(line.trim());
  });
});

describe('where and with what a server is started', () => {
  const node = { args: ['-e', serve] };

  it('P10: settings of launchers pass, but for credentials', async () => {
    const env = {
      UV_INDEX_URL: 'https://index.example/simple',
      UV_PYTHON: '3.12',
      PIP_INDEX_URL: 'https://user:canary@index.example/simple',
      NPM_CONFIG_REGISTRY: 'https://npm.example/',
      'npm_config_//npm.example/:_authToken': 'canary',
      UV_PUBLISH_TOKEN: 'canary',
      GOPROXY: 'off',
      PYTHONUNBUFFERED: '0',
      MY_SECRET_THING: 'canary',
    };
    const { said } = await start(process.execPath, { ...node, env });
    expect(said.env).toMatchObject({
      UV_PYTHON: '3.12',
      UV_INDEX_URL: env.UV_INDEX_URL,
      NPM_CONFIG_REGISTRY: env.NPM_CONFIG_REGISTRY,
      GOPROXY: 'off',
      PYTHONUNBUFFERED: '0',
      PYTHONUTF8: '1',
    });
    expect(JSON.stringify(said.env)).not.toContain('canary');
  });

  it('P4: the order of sets in Python is the same at each start', async () => {
    const seeds = [];
    for (let count = 0; count < 2; count++) seeds.push((await start(process.execPath, node)).said.env.PYTHONHASHSEED);
    expect(seeds[0]).toMatch(/^[1-9]\d*$/);
    expect(seeds[1]).toBe(seeds[0]);
    expect((await start(process.execPath, { ...node, env: { PYTHONHASHSEED: '7' } })).said.env.PYTHONHASHSEED).toBe(
      '7',
    );
  });

  it('U1: without a cwd, in an empty folder of its own, and not in the home', async () => {
    const home = join(folder, 'home');
    const { said } = await start(process.execPath, { ...node, home });
    expect(said.cwd).toMatch(/home-servers/);
    expect(said.cwd.startsWith(`${home}/`)).toBe(false);
    expect(said.cwd).not.toBe(process.cwd());
  });
});

it('P12: a whole command line in the place of the program is told how to write it', async () => {
  const failure = await rejection(start('uvx mcp-server-time --local', { args: [] }));
  expect(failure).toMatchObject({
    code: 'command-not-found',
    message: expect.stringContaining('command "uvx", args ["mcp-server-time","--local"]'),
  });
});

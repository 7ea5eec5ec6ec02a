import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longshoreHome } from '../e2e/longshore-home.ts';
import { eventually, processesWith } from '../e2e/run-longshore.ts';
import { type CortexHome, cortexHome } from '../fixtures/cortex-home.ts';
import { docker, fixtureImage } from '../fixtures/docker/images.ts';
import { realEngine } from './docker-test.ts';

const engine = await realEngine();
const plugin = fileURLToPath(new URL('../fixtures/docker/docker-mcp.js', import.meta.url));

const server = (name: string, more: object = {}) => ({
  type: 'image',
  image: `acme/${name}`,
  snapshot: { server: { name, type: 'server', image: `acme/${name}`, remote: {}, ...more } },
});
const servers = [
  server('fetch', { tools: [{ name: 'fetch' }] }),
  server('time'),
  server('broken'),
  server('twin', { tools: [{ name: 'fetch' }] }),
  server('keyed', { secrets: [{ name: 'keyed.key', env: 'KEYED_KEY' }] }),
];

describe.runIf(engine.available)('the Docker MCP Gateway, by a stand-in of its plugin', { timeout: 120_000 }, () => {
  let folder: string;
  let plugins: string;
  let home: CortexHome;

  /** What the plugin is to do from now on. */
  const tell = (more: object = {}) =>
    writeFileSync(
      join(plugins, 'docker-mcp.json'),
      JSON.stringify({ catalog: { servers }, failing: ['broken'], ...more }),
    );
  const calls = () => readFileSync(join(plugins, 'docker-mcp.calls'), 'utf8').trim().split('\n');
  const runs = () => calls().filter(line => line.startsWith('mcp gateway run'));
  const files = () => readdirSync(join(folder, '.docker', 'mcp', 'catalogs'));

  async function open() {
    home = await cortexHome({
      home: join(folder, 'home'),
      rules: [{ level: 'allow', pattern: '*.*' }],
      env: {
        ...process.env,
        HOME: folder,
        DOCKER_CONFIG: join(folder, '.docker'),
        KESTREL_MCP_DOCKER_CATALOG: 'test/cat:1',
      },
      homeDir: folder,
      deadlines: { gatewayStart: 30_000, close: 8_000 },
    });
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'longshore-gateway-'));
    plugins = join(folder, '.docker', 'cli-plugins');
    mkdirSync(plugins, { recursive: true });
    const program = join(plugins, 'docker-mcp');
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${plugin} ${plugins} "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(plugins, 'docker-mcp.calls'), '');
    tell();
    await open();
  });

  afterEach(async () => {
    await home[Symbol.asyncDispose]();
    expect(await processesWith(plugins)).toEqual([]);
    expect(existsSync(join(folder, '.docker', 'mcp', 'catalogs')) ? files() : []).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function line(text: string) {
    const { body } = await home.ask('POST', '/api/commands', { body: { line: text } });
    return body;
  }
  const tools = async () =>
    ((await home.ask('GET', '/api/tools')).body as { name: string }[]).map(({ name }) => name).sort();

  it('R77, R79: is started with exactly the wanted servers, on loopback, with a token that is in no argument', async () => {
    const started = await line('!mcp-gateway-start fetch,time');
    expect(started).toMatchObject({
      status: 'ok',
      data: { requested_servers: ['fetch', 'time'], observed_tools: ['fetch_tool', 'time_tool'], not_in_effect: [] },
    });
    expect(await tools()).toEqual(['gateway__fetch_tool', 'gateway__time_tool']);
    const [run = ''] = runs();
    expect(run).toMatch(
      /^mcp gateway run --catalog=\S+\.yaml --secrets=\S+ --servers=fetch,time --transport=streaming --host=127\.0\.0\.1 --port=\d+ --watch=false --long-lived$/,
    );
    expect(run).not.toMatch(/[A-Za-z0-9_-]{40,}/);
    expect(calls().join('\n')).not.toMatch(/server (enable|disable|ls)/);
    // Its files are for our eyes alone, and gone once it has read them.
    expect(calls()).toContain('modes 600 600');
    expect(files()).toEqual([]);
    const called = await home.ask('POST', '/api/tools/invoke', {
      body: { toolId: 'gateway__fetch_tool', arguments: {} },
    });
    expect(JSON.stringify(called.body)).toContain('fetch did fetch_tool');
    expect((await home.ask('GET', '/api/mcp/status')).body.gateway.requested_servers).toEqual(['fetch', 'time']);
    await line('!mcp-gateway-stop');
    expect(calls().slice(-2)).toEqual(['deleted true', 'ended']);
  });

  it('R29: everything is checked before the running one is touched', async () => {
    await line('!mcp-gateway-start time');
    const [before] = (await home.ask('GET', '/api/mcp/status')).body.servers;
    expect(await line('!mcp-gateway-start time,nope')).toMatchObject({
      status: 'error',
      code: 'unknown-server',
      error: expect.stringContaining('nope'),
    });
    expect(await line('!mcp-gateway-start keyed')).toMatchObject({
      status: 'error',
      code: 'unresolved-reference',
      error: expect.stringContaining('keyed.key'),
    });
    expect(await line('!mcp-gateway-start fetch,twin')).toMatchObject({
      status: 'error',
      code: 'name-in-use',
      error: expect.stringMatching(/fetch and twin/),
    });
    expect(await line('!mcp-gateway-start memory')).toMatchObject({ status: 'error', code: 'bad-config' });
    expect(runs()).toHaveLength(1);
    const [after] = (await home.ask('GET', '/api/mcp/status')).body.servers;
    expect(after.holdings).toEqual(before.holdings);
    expect(await tools()).toEqual(['gateway__time_tool']);
  });

  it('R29, R76: a server that it cannot start is told with its own reason, and only what is in effect is saved', async () => {
    const started = await line('!mcp-gateway-start time,broken');
    expect(started).toMatchObject({
      status: 'partial',
      error: expect.stringContaining('broken: failed to connect: calling "initialize": EOF'),
      data: { requested_servers: ['time', 'broken'], observed_tools: ['time_tool'] },
    });
    await home[Symbol.asyncDispose]();
    await open();
    expect((await home.ask('GET', '/api/mcp/status')).body.gateway.requested_servers).toEqual(['time']);
    // Listed by what was seen, and started by its first call.
    expect(await tools()).toEqual(['gateway__time_tool']);
    expect(runs()).toHaveLength(1);
    const called = await home.ask('POST', '/api/tools/invoke', {
      body: { toolId: 'gateway__time_tool', arguments: {} },
    });
    expect(JSON.stringify(called.body)).toContain('time did time_tool');
    expect(runs()).toHaveLength(2);
  });

  it('S14, R29, R30: replacing fetch by fetch and time withdraws every handle, saves both, and stopping forgets both', async () => {
    await line('!mcp-gateway-start fetch');
    const holdings = async () => (await home.ask('GET', '/api/mcp/status')).body.servers[0].holdings;
    const first = await holdings();
    const agent = home.host.agent();
    const [before] = agent.tools();
    if (before === undefined) throw new Error('It has a tool.');
    expect(await line('!mcp-gateway-start fetch,time')).toMatchObject({ status: 'ok' });
    expect(await holdings()).not.toEqual(first);
    expect(await tools()).toEqual(['gateway__fetch_tool', 'gateway__time_tool']);
    // A tool that did not change is another one all the same: its handle is bound to the gateway that was replaced.
    await expect(agent.call(before, {})).rejects.toMatchObject({ code: 'stale-handle' });
    expect(agent.tools().map(({ name }) => name)).toContain(before.name);
    // The same again changes nothing.
    const second = await holdings();
    expect(await line('!mcp-gateway-start fetch,time')).toMatchObject({ status: 'ok' });
    expect(await holdings()).toEqual(second);
    await home[Symbol.asyncDispose]();
    await open();
    expect((await home.ask('GET', '/api/mcp/status')).body.gateway.requested_servers).toEqual(['fetch', 'time']);
    expect(await line('!mcp-gateway-stop')).toMatchObject({ status: 'ok', data: { was_there: true } });
    expect(await line('!mcp-gateway-stop')).toMatchObject({ status: 'ok', data: { was_there: false } });
    await home[Symbol.asyncDispose]();
    await open();
    expect((await home.ask('GET', '/api/mcp/status')).body.gateway).toBeNull();
  });

  it('R79: a mebibyte of log after its start does not hold it up', async () => {
    tell({ flood: 1024 * 1024 });
    await line('!mcp-gateway-start time');
    const called = await home.ask('POST', '/api/tools/invoke', {
      body: { toolId: 'gateway__time_tool', arguments: {} },
    });
    expect(JSON.stringify(called.body)).toContain('time did time_tool');
  });

  it('R79: a tool that two servers turn out to have is told with both, and nothing is left', async () => {
    tell({ tools: { fetch: ['same'], time: ['same'] } });
    const { code, error } = await line('!mcp-gateway-start fetch,time');
    expect([code, error]).toEqual([
      'failed-to-start',
      expect.stringMatching(/collision: server "time" and server "fetch"/),
    ]);
  });

  it('one that dies in the midst of a call fails that call, and the next one starts it anew', async () => {
    await line('!mcp-gateway-start time');
    tell({ dies: true });
    // It reads what it is to do at its start.
    await home.ask('POST', '/api/mcp/reload', { body: { ref: 'gateway' } });
    const invoke = () =>
      home.ask('POST', '/api/tools/invoke', { body: { toolId: 'gateway__time_tool', arguments: {} } });
    expect((await invoke()).status).toBeGreaterThanOrEqual(400);
    tell();
    expect(
      await eventually(async () => JSON.stringify((await invoke()).body).includes('time did time_tool'), 20_000),
    ).toBe(true);
  });

  it('one that is deaf to SIGTERM is ended all the same', async () => {
    tell({ deaf: true });
    await line('!mcp-gateway-start time');
    expect(await line('!mcp-gateway-stop')).toMatchObject({ status: 'ok' });
    expect(await processesWith(plugins)).toEqual([]);
  });

  it('R79: without the plugin says what to install, and what to do instead', async () => {
    await line('!mcp-catalog');
    rmSync(join(plugins, 'docker-mcp'));
    const { code, error } = await line('!mcp-gateway-start time');
    expect([code, error]).toEqual(['docker-unavailable', expect.stringMatching(/Install the plugin.*longshore load/)]);
  });

  it('R79: an older one that cannot be kept to loopback is not started, and its own words say why', async () => {
    tell({ version: 'v0.30.0' });
    const { code, error } = await line('!mcp-gateway-start time');
    expect([code, error]).toEqual(['failed-to-start', expect.stringContaining('unknown flag: --host')]);
  });

  it('R79: one that takes a wrong token is ended', async () => {
    tell({ open: true });
    const { code, error } = await line('!mcp-gateway-start time');
    expect([code, error]).toEqual(['failed-to-start', expect.stringContaining('to a wrong token')]);
    expect(await processesWith(plugins)).toEqual([]);
  });

  it('R79: a port that somebody takes meanwhile is left to them and another one is taken, but not for ever', async () => {
    tell({ taken: 2 });
    expect(await line('!mcp-gateway-start time')).toMatchObject({ status: 'ok' });
    expect(runs()).toHaveLength(3);
    await line('!mcp-gateway-stop');
    tell({ taken: 100 });
    const { code, error } = await line('!mcp-gateway-start time');
    expect([code, error]).toEqual(['failed-to-start', expect.stringContaining('address already in use')]);
  });

  it('a container of it that outlives it is removed: at its end, and after our sudden death by the next start', async () => {
    const image = await fixtureImage('stdio-deaf');
    const containers = () => docker('ps', '--all', '--quiet', '--filter', 'label=docker-mcp=true');
    tell({ containers: image });
    await line('!mcp-gateway-start time');
    expect(await containers()).not.toBe('');
    await line('!mcp-gateway-stop');
    expect(await containers()).toBe('');

    const env = { HOME: folder, DOCKER_CONFIG: join(folder, '.docker'), KESTREL_MCP_DOCKER_CATALOG: 'test/cat:1' };
    await using service = longshoreHome(env);
    expect((await service.run('gateway', 'start', 'time')).code).toBe(0);
    process.kill(service.servicePid() ?? 0, 'SIGKILL');
    expect(await eventually(async () => (await processesWith(plugins)).length === 0, 15_000)).toBe(true);
    expect(await containers()).not.toBe('');
    await service.run('list');
    expect(await eventually(async () => (await containers()) === '', 20_000)).toBe(true);
  });

  it('R5: the sudden death of Longshore leaves nothing of it', async () => {
    await using service = longshoreHome({
      HOME: folder,
      DOCKER_CONFIG: join(folder, '.docker'),
      KESTREL_MCP_DOCKER_CATALOG: 'test/cat:1',
    });
    expect(await service.run('gateway', 'start', 'fetch,time')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Requested: fetch, time. Observed tools: 2.'),
    });
    expect((await service.run('gateway', 'status')).stdout).toContain('observed tools: fetch_tool, time_tool');
    expect(await processesWith(plugins)).not.toEqual([]);
    process.kill(service.servicePid() ?? 0, 'SIGKILL');
    expect(await eventually(async () => (await processesWith(plugins)).length === 0, 15_000)).toBe(true);
  });
});

/** `1` for the plugin that is installed for this user, or the path of one. */
const reals = [process.env['LONGSHORE_REAL_DOCKER_MCP'] ?? []].flat();

describe.each(reals)('the real Docker MCP Gateway (%s)', { timeout: 240_000 }, real => {
  it('R29, R30, R76, R79: serves images of a catalog, tells what it cannot start, and leaves nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-gateway-'));
    const plugins = join(folder, '.docker', 'cli-plugins');
    mkdirSync(plugins, { recursive: true });
    copyFileSync(
      real === '1' ? join(homedir(), '.docker', 'cli-plugins', 'docker-mcp') : real,
      join(plugins, 'docker-mcp'),
    );
    chmodSync(join(plugins, 'docker-mcp'), 0o755);
    const [good, other, bad] = [
      await fixtureImage('stdio'),
      await fixtureImage('stdio-deaf'),
      await fixtureImage('crash'),
    ];
    const registry = {
      good: { type: 'server', image: good },
      other: { type: 'server', image: other },
      bad: { type: 'server', image: bad },
    };
    mkdirSync(join(folder, 'home', 'catalogs'), { recursive: true });
    writeFileSync(join(folder, 'home', 'catalogs', 'mine.json'), JSON.stringify({ registry }));
    const home = await cortexHome({
      home: folder,
      rules: [{ level: 'allow', pattern: '*.*' }],
      env: { ...process.env, HOME: folder, DOCKER_CONFIG: join(folder, '.docker') },
      homeDir: folder,
    });
    try {
      const line = async (text: string) => (await home.ask('POST', '/api/commands', { body: { line: text } })).body;
      const started = await line('!mcp-gateway-start good,bad');
      expect(started).toMatchObject({
        status: 'partial',
        error: expect.stringContaining('bad'),
        data: { requested_servers: ['good', 'bad'], observed_tools: expect.arrayContaining(['echo']) },
      });
      const called = await home.ask('POST', '/api/tools/invoke', {
        body: { toolId: 'gateway__echo', arguments: { text: 'through the real one' } },
      });
      expect(JSON.stringify(called.body)).toContain('through the real one');
      // Both have the same tools, which no catalog told.
      expect(await line('!mcp-gateway-start good,other')).toMatchObject({
        code: 'failed-to-start',
        error: expect.stringContaining('collision'),
      });
      expect(await line('!mcp-gateway-stop')).toMatchObject({ status: 'ok' });
    } finally {
      await home[Symbol.asyncDispose]();
    }
    expect(await docker('ps', '--all', '--quiet', '--filter', 'label=docker-mcp=true')).toBe('');
    expect(
      readdirSync(join(folder, '.docker', 'mcp', 'catalogs')).filter(name => name.startsWith('longshore-')),
    ).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});

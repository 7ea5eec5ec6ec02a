import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, type HostOptions, openHost } from '../../src/index.ts';
import { fixture } from '../e2e/run-longshore.ts';
import { docker, type FixtureImage, fixtureImage } from '../fixtures/docker/images.ts';
import { allContainers, realEngine } from './docker-test.ts';

const engine = await realEngine();

describe.runIf(engine.available)('containers through the library', { timeout: 120_000 }, () => {
  let folder = '';
  let before: readonly string[] = [];
  const hosts: Host[] = [];

  async function open(options: HostOptions = {}): Promise<{ host: Host; agent: Agent }> {
    const host = await openHost({
      home: join(folder, 'home'),
      handleSignals: false,
      rules: [{ level: 'allow', pattern: '*.*' }],
      ...options,
    });
    hosts.push(host);
    return { host, agent: host.agent() };
  }

  async function config(name: FixtureImage, ...flags: readonly string[]) {
    return { name: 'fixture', command: 'docker', args: ['run', '--rm', '-i', ...flags, await fixtureImage(name)] };
  }

  /** Found by the tool's own name: the handle's name of a long image reference is a shortened one. */
  async function said(agent: Agent, server: string, tool: string, args = {}): Promise<string> {
    const found = agent.tools().find(one => one.server === server && one.tool === tool);
    const { result } = await agent.call(found ?? `${server}.${tool}`, args);
    return (result['content'] as readonly { text: string }[])[0]?.text ?? '';
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-docker-'));
    before = await allContainers();
  });

  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.dispose();
    await rm(folder, { recursive: true, force: true });
    expect(await allContainers()).toEqual(before);
  });

  for (const name of ['stdio', 'http', 'http-quiet', 'http-noisy', 'http-chunked', 'http-labelled'] as const) {
    it(`R6, R7, R8, R18: byte-identical configs but for the image: one that is ${name} can be called`, async () => {
      const { agent } = await open();
      const loaded = await agent.load(await config(name));
      expect(loaded).toMatchObject({ kind: 'docker-run', transport: name === 'stdio' ? 'stdio' : 'streamable-http' });
      expect(await said(agent, 'fixture', 'echo', { text: 'hi' })).toBe('hi');
      const phase = name === 'stdio' ? 'probe' : 'mcp';
      const names = (await allContainers()).filter(line => !before.includes(line)).map(line => line.split(' ')[0]);
      expect(names).toEqual([`rax-${phase}-fixture-${process.pid}`]);
    });
  }

  it('S7, R63: a load that takes its time delays no other server, and an unload ends it', async () => {
    const { agent } = await open();
    const slow = agent.load({ ...(await config('http', '-e', 'DELAY_MS=60000')), name: 'slow' });
    const cancelled = slow.catch((error: unknown) => error);
    const { server } = await agent.load(await fixtureImage('stdio'));
    for (let call = 0; call < 10; call += 1) {
      expect(await said(agent, server, 'echo', { text: `${call}` })).toBe(`${call}`);
    }
    await agent.unload(server);
    expect((await agent.list()).map(one => [one.server, one.state])).toEqual([['slow', 'starting']]);
    await agent.unload('slow');
    expect(await cancelled).toMatchObject({ code: 'cancelled' });
  });

  it('R3: cleaning up while an image starts joins the start and leaves nothing', async () => {
    const { agent } = await open();
    const load = agent.load(await config('http', '-e', 'DELAY_MS=60000')).catch((error: unknown) => error);
    await new Promise(resolve => setTimeout(resolve, 1_500));
    await agent.cleanupMcpTransport('fixture');
    expect(await load).toMatchObject({ code: 'cancelled' });
    expect(await allContainers()).toEqual(before);
  });

  it('R57, R60: reload recreates the container of an image, and unload tells each part of what it did', async () => {
    const { agent } = await open();
    const { server, tools } = await agent.load(await fixtureImage('stdio'));
    const first = (await agent.list())[0]?.holdings;
    await agent.reload(server);
    expect((await agent.list())[0]?.holdings).not.toEqual(first);
    expect(await said(agent, server, 'echo', { text: 'again' })).toBe('again');
    expect(await agent.unload(server)).toMatchObject({
      process_removed: true,
      handles_withdrawn: tools.length,
      saved_removed: 'not_saved',
    });
  });

  it('R12: what weakens isolation is refused by name unless it is allowed on purpose', async () => {
    const { agent } = await open();
    const unsafe = await config('stdio', '--publish-all');
    const refused = { code: 'unsafe-refused', message: expect.stringContaining('--publish-all') };
    await expect(agent.load(unsafe)).rejects.toMatchObject(refused);
    await agent.unload('fixture');
    await agent.load(unsafe, { allowUnsafe: true });
    expect(await said(agent, 'fixture', 'echo', { text: 'ok' })).toBe('ok');
  });

  it('R27: an old container without an owner is told, never adopted, and never removed', async () => {
    const id = await docker('create', '--name', 'mcp-mcp-time-latest', await fixtureImage('stdio'));
    try {
      const { host, agent } = await open();
      expect(await host.legacyContainers()).toMatchObject([{ id, name: 'mcp-mcp-time-latest' }]);
      const { server } = await agent.load(await fixtureImage('stdio'));
      expect((await agent.list())[0]?.holdings).not.toContain(id);
      await agent.unload(server);
      expect(await docker('inspect', '--format', '{{.Id}}', id)).toBe(id);
    } finally {
      await docker('rm', '-f', id);
    }
  });

  it('R67: an engine that does not answer is a soft state: commands work meanwhile, images again when it is back', async () => {
    const env = { ...process.env, DOCKER_HOST: `unix://${join(folder, 'nobody.sock')}` };
    const { agent } = await open({ env });
    const image = await fixtureImage('stdio');
    await expect(agent.load(image)).rejects.toMatchObject({ code: 'docker-unavailable' });
    await agent.load({ name: 'plain', command: process.execPath, args: [fixture('noisy')] });
    expect((await agent.list()).map(one => one.state)).toEqual(['failed', 'connected']);
  });
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/commands/envelope.ts';
import { openHost } from '../../src/index.ts';
import { fixtureServer } from '../fixtures/cortex-home.ts';
import { recordedDocker } from '../fixtures/docker/recorded-docker.ts';
import { root } from './run-longshore.ts';

interface Decision {
  readonly owner: string;
  readonly tool: string;
  readonly args: object;
}

interface ExampleHost {
  readonly features: readonly string[];
  readonly commands: readonly string[];
  tools(): readonly { owner: string; name: string; inputSchema: object; protocol_version: string }[];
  dispatch(name: string, args: object): Promise<{ content: object } | Envelope>;
  say(line: string): Promise<Envelope>;
  stop(): Promise<void>;
}

/** The example as a reader would copy it; only where features are found is ours. */
const { startAgentHost } = (await import(new URL('../../docs/examples/agent-host.js', import.meta.url).href)) as {
  startAgentHost(options: object): Promise<ExampleHost>;
};

const agentId = 'did:web:agents.example';
const features = [() => import('../../src/plugin.ts')];

describe('the example agent host', { timeout: 60_000 }, () => {
  let home = '';
  let asked: Decision[] = [];
  let answer = true;
  const running: ExampleHost[] = [];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'longshore-plugin-'));
    asked = [];
    answer = true;
  });

  afterEach(async () => {
    for (const host of running.splice(0)) await host.stop();
    await rm(home, { recursive: true, force: true });
  });

  async function start(options: object = {}): Promise<ExampleHost> {
    const decide = (decision: Decision) => {
      asked.push(decision);
      return answer;
    };
    const host = await startAgentHost({ agentId, home, features, decide, ...options });
    running.push(host);
    return host;
  }

  /** As somebody who works on the same home while the host is not running. */
  async function between<Result>(
    act: (host: Awaited<ReturnType<typeof openHost>>) => Promise<Result>,
  ): Promise<Result> {
    await using host = await openHost({ home, agentId, handleSignals: false });
    return await act(host);
  }

  it('R25: finds the feature by its id, with its commands, and starts without it where it is not installed', async () => {
    const host = await start();
    expect(host.features).toEqual(['mcp']);
    expect([...host.commands].sort()).toEqual([
      '!mcp-catalog',
      '!mcp-gateway-start',
      '!mcp-gateway-stop',
      '!mcp-list',
      '!mcp-load',
      '!mcp-search',
      '!mcp-unload',
    ]);
    expect(await host.say('!mcp-list')).toMatchObject({ status: 'ok' });
    await host.stop();
    const missing = [() => import(`${'longshore'}-that-nobody-installed`)];
    const without = await start({ features: missing });
    expect([without.features, without.commands]).toEqual([[], []]);
  });

  it('R66: takes the DID of the agent from agentId alone, and does not start with anything else there', async () => {
    for (const odd of ['', ' did:x:1', 'did:x:1 ', 'agent', undefined, null]) {
      await expect(start({ agentId: odd, did: 'did:x:1' })).rejects.toMatchObject({ code: 'invalid-identity' });
    }
    await between(host => host.agent().saved().add(fixtureServer('notes', 'two-tools')));
    const other = await start({ agentId: 'did:web:other.example' });
    expect((await other.say('!mcp-list')) as object).toMatchObject({ data: { servers: [] } });
  });

  it('R37: mounts the tools of a server under its owner, schemas verbatim, and takes them out again with it', async () => {
    await between(host => host.agent().saved().add(fixtureServer('notes', 'two-tools')));
    const host = await start();
    expect(await host.say('!mcp-load notes')).toMatchObject({ status: 'ok' });
    expect(host.tools()).toMatchObject([
      {
        owner: 'mcp:notes',
        name: 'notes__echo',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        protocol_version: '2026-07-28',
      },
      { owner: 'mcp:notes', name: 'notes__fail' },
    ]);
    expect(await host.dispatch('notes__echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
    expect(asked).toEqual([{ owner: 'mcp:notes', tool: 'notes__echo', args: { text: 'hi' } }]);
    expect(await host.say('!mcp-unload notes')).toMatchObject({ status: 'ok', data: { handles_withdrawn: 2 } });
    expect(host.tools()).toEqual([]);
  });

  it('R68: what is saved is there after a restart of the host, asleep, and its first call wakes it', async () => {
    await between(host => host.agent().load(fixtureServer('notes', 'two-tools'), { save: true }));
    const host = await start();
    expect(host.tools().map(({ name }) => name)).toEqual(['notes__echo', 'notes__fail']);
    expect(await host.dispatch('notes__echo', { text: 'woken' })).toMatchObject({ content: [{ text: 'woken' }] });
  });

  it('R36: a host that says no is not asked again by us, and a deny rule of the home holds though the host says yes', async () => {
    await between(async host => {
      await host.agent().load(fixtureServer('notes', 'two-tools'), { save: true });
      await host.agent().rules.add(host.operator, { level: 'deny', pattern: 'notes.fail' });
    });
    const host = await start();
    await expect(host.dispatch('notes__fail', {})).rejects.toMatchObject({ code: 'denied' });
    answer = false;
    await expect(host.dispatch('notes__echo', { text: 'x' })).rejects.toThrow('was not allowed');
    await host.stop();
    const rows = await between(owner => owner.agent().audit.list({ limit: 50 }));
    const calls = rows.filter(({ kind }) => kind !== 'change').map(row => [row.handle_name, row.decision]);
    expect(calls).toEqual([['notes__fail', 'auto_denied']]);
  });

  it('R40: a tool that was taken before a reload is refused after it, under the same name', async () => {
    await between(host => host.agent().load(fixtureServer('notes', 'two-tools'), { save: true }));
    const mounted: { name: string; execute(args: object): Promise<object> }[] = [];
    const { manifest } = await import('../../src/plugin.ts');
    const registry = { replaceOwner: (_: string, tools: typeof mounted) => void mounted.splice(0, 9, ...tools) };
    await using feature = manifest.create({ agentId, home, registry: registry as never });
    await feature.initialize();
    await feature.restore();
    const [old] = [...mounted];
    await old?.execute({ text: 'x' });
    const unload = feature.commands.find(({ tool }) => tool === 'mcp_unload');
    const load = feature.commands.find(({ tool }) => tool === 'mcp_load');
    expect(await unload?.execute({ container: 'notes' })).toMatchObject({ status: 'ok' });
    expect(await load?.execute({ image: 'notes' })).toMatchObject({ status: 'ok' });
    await expect(old?.execute({ text: 'x' })).rejects.toMatchObject({ code: 'stale-handle' });
    expect(await mounted[0]?.execute({ text: 'new' })).toMatchObject({ content: [{ text: 'new' }] });
  });

  it('R38: without a registry nothing is loaded and no docker command is run', async () => {
    await using docker = await recordedDocker({ 'acme/x:1': { mode: 'stdio' } });
    await between(host => host.agent().saved().add(fixtureServer('notes', 'two-tools')));
    const host = await start({ withRegistry: false, env: { ...docker.env, HOME: '/nowhere' } });
    for (const line of ['!mcp-load acme/x:1', '!mcp-load notes']) {
      expect(await host.say(line)).toMatchObject({
        status: 'error',
        error: expect.stringContaining('no dynamic registry'),
      });
    }
    expect((await docker.calls()).map(({ argv }) => argv[0])).toEqual([]);
    expect(host.tools()).toEqual([]);
    expect(await host.say('!mcp-list')).toMatchObject({
      data: { servers: [{ name: 'notes', state: 'stopped', holdings: [] }] },
    });
  });

  it('R28: the commands are tools of the host as well, decided about under their own names', async () => {
    const host = await start();
    expect(await host.dispatch('mcp_list', {})).toMatchObject({ status: 'ok' });
    expect(await host.dispatch('mcp_load', {})).toMatchObject({ status: 'error', code: 'usage' });
    expect(await host.dispatch('mcp_load', { image: '--flag', more: 1 })).toMatchObject({
      status: 'error',
      code: 'usage',
    });
    expect(asked.map(({ owner, tool }) => `${owner} ${tool}`)).toEqual([
      'mcp mcp_list',
      'mcp mcp_load',
      'mcp mcp_load',
    ]);
    answer = false;
    await expect(host.dispatch('mcp_list', {})).rejects.toThrow('was not allowed');
  });

  it('leaves no process behind when it stops, and its commands say so', async () => {
    await between(host => host.agent().load(fixtureServer('notes', 'two-tools'), { save: true }));
    const host = await start();
    await host.dispatch('notes__echo', { text: 'x' });
    const listed = await host.say('!mcp-list');
    const servers = (listed.data?.['servers'] ?? []) as unknown as readonly { readonly holdings: readonly string[] }[];
    const holdings = servers.flatMap(server => server.holdings);
    expect(holdings).toHaveLength(1);
    await host.stop();
    expect(() => process.kill(Number(holdings[0]), 0)).toThrow(/ESRCH/);
    expect(host.tools()).toEqual([]);
    expect(await host.say('!mcp-list')).toMatchObject({ status: 'error', code: 'usage' });
  });
});

describe('the package', () => {
  it('R26: declares an official MCP client 2.x, which the lock pins with its integrity', async () => {
    const { dependencies, exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(dependencies['@modelcontextprotocol/client']).toMatch(/^\^2\./);
    expect(dependencies['@modelcontextprotocol/sdk']).toBeUndefined();
    expect(exports['./plugin'].default).toBe('./dist/plugin.js');
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    expect(packages['node_modules/@modelcontextprotocol/client']).toMatchObject({
      version: expect.stringMatching(/^2\./),
      integrity: expect.stringMatching(/^sha512-/),
    });
  });
});

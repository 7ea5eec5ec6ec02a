import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Host, type HostOptions, openHost } from '../../src/index.ts';
import { childrenOf, eventually, fixture, processesWith } from './run-longshore.ts';

const servers = ['everything', 'filesystem', 'memory', 'sequential-thinking'] as const;

function official(name: (typeof servers)[number], folder: string) {
  const program = `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
  return { name, command: process.execPath, args: [program, ...(name === 'filesystem' ? [folder] : [])] };
}

function small(name: string, program: string, env: Record<string, string> = {}) {
  return { name, command: process.execPath, args: [fixture(program)], env };
}

describe('the library', () => {
  let folder = '';
  const hosts: Host[] = [];

  async function open(options: HostOptions = {}): Promise<Host> {
    const host = await openHost({
      home: join(folder, 'home'),
      handleSignals: false,
      rules: [{ level: 'allow', pattern: '*.*' }],
      ...options,
    });
    hosts.push(host);
    return host;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-library-'));
  });

  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('R37, R45: loads the official servers, mounts their tools with schemas verbatim, calls them, and ends them', {
    timeout: 60_000,
  }, async () => {
    const host = await open();
    const agent = host.agent();
    await Promise.all(servers.map(name => agent.load(official(name, folder))));
    const names: readonly string[] = agent.tools().map(tool => tool.name);
    expect(names).toContain('everything__echo');
    expect(names).toContain('filesystem__read_text_file');
    expect(names).toContain('memory__read_graph');
    expect(names).toContain('sequential-thinking__sequentialthinking');
    for (const tool of agent.tools()) {
      expect(tool.protocol_version).toBe('2025-11-25');
      expect(tool.inputSchema).toBe(tool.handle.definition['inputSchema']);
    }
    const { result } = await agent.call('everything__echo', { message: 'hi' });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Echo: hi' }] });
    await agent.dispose();
    expect(agent.tools()).toEqual([]);
  });

  it('R40: a handle from before a cleanup is refused, its name again means the new one', async () => {
    const agent = (await open()).agent();
    const config = official('everything', folder);
    const before = (await agent.load(config)).tools.find(tool => tool.tool === 'echo');
    await agent.cleanupMcpTransport('everything');
    await agent.load(config);
    if (!before) throw new Error('the server lost its echo');
    await expect(agent.call(before, { message: 'old' })).rejects.toMatchObject({ code: 'stale-handle' });
    expect((await agent.call(before.name, { message: 'new' })).result['isError']).not.toBe(true);
  });

  it('R4: dispose cleans every server once, a second dispose does nothing, and no process is left', async () => {
    const token = `dispose-${process.pid}`;
    const host = await open();
    const agent = host.agent();
    await agent.load(small('one', 'deaf', { TOKEN_OF_TEST: token }));
    await agent.load(small('two', 'own-session', { TOKEN_OF_TEST: token }));
    expect((await processesWith(token)).length).toBeGreaterThanOrEqual(3);
    await agent.dispose();
    expect(await processesWith(token)).toEqual([]);
    await agent.dispose();
  });

  it('R3: cleaning up joins a start in progress, and a name that is not loaded is fine', async () => {
    const token = `join-${process.pid}`;
    const agent = (await open()).agent();
    await agent.cleanupMcpTransport('nobody');
    const load = agent.load(small('slow', 'never-answers', { TOKEN_OF_TEST: token }));
    const refused = load.catch((error: unknown) => error);
    expect(await eventually(async () => (await processesWith(token)).length > 0, 10_000)).toBe(true);
    await agent.cleanupMcpTransport('slow');
    expect(await refused).toMatchObject({ code: 'cancelled' });
    expect(await processesWith(token)).toEqual([]);
  });

  it('R50: aborting a load rejects only when its process is gone', async () => {
    const token = `abort-${process.pid}`;
    const agent = (await open()).agent();
    const abort = new AbortController();
    const load = agent.load(small('slow', 'never-answers', { TOKEN_OF_TEST: token }), { signal: abort.signal });
    const refused = load.catch((error: unknown) => error);
    expect(await eventually(async () => (await processesWith(token)).length > 0, 10_000)).toBe(true);
    abort.abort();
    expect(await refused).toMatchObject({ code: 'cancelled' });
    expect(await processesWith(token)).toEqual([]);
  });

  it("R58: agents of one host never see or end each other's servers", async () => {
    const host = await open();
    const [one, two] = [host.agent(), host.agent('did:example:two')];
    await one.load(official('everything', folder));
    expect(two.tools()).toEqual([]);
    await expect(two.call('everything__echo', { message: 'x' })).rejects.toMatchObject({ code: 'unknown-tool' });
    await two.load(official('everything', folder));
    await one.dispose();
    expect((await two.call('everything__echo', { message: 'still here' })).result['content']).toBeDefined();
  });

  it('R66: the identity is made once, private, and stays the same; an embedder must pass a DID', async () => {
    const first = await open();
    const { agentId } = first.agent();
    expect(agentId).toMatch(/^did:key:z6Mk/);
    await first.dispose();
    const second = await open();
    expect(second.agent().agentId).toBe(agentId);
    expect((await stat(join(folder, 'home', 'identity.json'))).mode & 0o777).toBe(0o600);
    await second.dispose();
    for (const bad of ['', ' did:x:1', 'did:x:1 ', 'someone']) {
      await expect(open({ agentId: bad })).rejects.toMatchObject({ code: 'invalid-identity' });
    }
    expect((await open({ agentId: 'did:x:1' })).agent().agentId).toBe('did:x:1');
  });

  it('R5, R62: the next start of a home removes what a killed host and its killed watchdog left', {
    timeout: 60_000,
  }, async () => {
    const token = `swept-${process.pid}`;
    const home = join(folder, 'home');
    const program = fileURLToPath(new URL('../fixtures/dying-host.ts', import.meta.url));
    const child = spawn(process.execPath, [program, home, fixture('own-session'), token], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const servers = await processesWith(`TOKEN_OF_TEST=${token}`);
    expect(servers.length).toBeGreaterThanOrEqual(2);
    // Stopped, it cannot start another watchdog in the place of the one that is killed.
    child.kill('SIGSTOP');
    // The watchdog is the host's one child that is none of the servers; without it only the ledger knows.
    for (const pid of await childrenOf(child.pid)) if (!servers.includes(pid)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await processesWith(`TOKEN_OF_TEST=${token}`)).length).toBeGreaterThanOrEqual(1);
    await open({ home });
    expect(await eventually(async () => (await processesWith(`TOKEN_OF_TEST=${token}`)).length === 0, 10_000)).toBe(
      true,
    );
  });

  it('R33, R54, R58: a server that failed to start stays listed with its error and stderr, and can be unloaded', async () => {
    const agent = (await open()).agent();
    const load = agent.load(small('broken', 'exit-during-negotiation'));
    await expect(load).rejects.toMatchObject({ code: 'failed-to-start' });
    expect(await agent.list()).toMatchObject([{ server: 'broken', state: 'failed', tools: [], holdings: [] }]);
    expect((await agent.list())[0]?.error?.message).toContain('exited with code');
    expect(await agent.unload('broken')).toMatchObject({ process_removed: 'not_running', handles_withdrawn: 0 });
    expect(await agent.list()).toEqual([]);
    await expect(agent.unload('broken')).rejects.toMatchObject({ code: 'unknown-server' });
  });

  it('R40: reload starts the server anew, under the same names, with new handles', async () => {
    const agent = (await open()).agent();
    const { tools } = await agent.load(official('everything', folder));
    const again = await agent.reload('everything');
    expect(again.tools.map(tool => tool.name)).toEqual(tools.map(tool => tool.name));
    expect(again.tools[0]?.handle.epoch).not.toBe(tools[0]?.handle.epoch);
    const [listed] = await agent.list();
    expect(listed).toMatchObject({ server: 'everything', state: 'connected', protocol_version: '2025-11-25' });
    expect(listed?.holdings).toHaveLength(1);
    expect(await agent.unload('everything')).toMatchObject({
      process_removed: true,
      handles_withdrawn: expect.any(Number),
    });
  });

  it('refuses a home that another host has, and names the way in', async () => {
    await open();
    await expect(open()).rejects.toMatchObject({
      code: 'home-in-use',
      message: expect.stringContaining('longshore/client'),
    });
  });

  it('tells two servers apart whose names would be the same key', async () => {
    const agent = (await open()).agent();
    const keys = [];
    for (const name of ['a.b', 'a b', 'a-b']) keys.push((await agent.load(small(name, 'noisy'))).server);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^a-b(-[0-9a-f]{4})?$/);
  });
});

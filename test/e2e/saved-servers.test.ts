import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Host, type HostOptions, openHost } from '../../src/index.ts';
import { foreignDatabase } from '../fixtures/foreign-database.ts';
import { eventually, fixture, processesWith } from './run-longshore.ts';

const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

describe('saved servers of a home', () => {
  let folder = '';
  let home = '';
  let token = '';
  let count = 0;
  const hosts: Host[] = [];

  async function open(options: HostOptions = {}): Promise<Host> {
    const rules = [{ level: 'allow', pattern: '*.*' }] as const;
    const host = await openHost({ home, handleSignals: false, rules, ...options });
    hosts.push(host);
    return host;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-saved-'));
    home = join(folder, 'home');
    count += 1;
    token = `sk-canary-${process.pid}-${count}-7f3a91d2`;
  });

  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const official = () => ({
    name: 'everything',
    command: process.execPath,
    args: [everything],
    env: { TOKEN_OF_TEST: token },
  });
  const small = (name: string, program: string) => ({
    name,
    command: process.execPath,
    args: [fixture(program)],
    env: { TOKEN_OF_TEST: token },
  });
  const running = () => processesWith(`TOKEN_OF_TEST=${token}`);

  /** Every file of the home, as text: what a thief of it would read. */
  async function filesOfHome(): Promise<string> {
    const entries = await readdir(home, { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
    return (await Promise.all(files.map(file => readFile(file, 'latin1')))).join('\n');
  }

  it('R68: tools are listed from what was seen before, without a start, and the first call starts the server', {
    timeout: 60_000,
  }, async () => {
    const first = (await open()).agent();
    const added = await first.saved('operator').add(official());
    expect(await running()).toEqual([]);
    const { tools } = await first.saved().refreshTools('everything');
    expect(tools.map(tool => tool.name)).toContain('echo');
    expect(await running()).toEqual([]);
    const names = first.tools().map(tool => tool.name);
    expect(names).toContain('everything__echo');
    await hosts[0]?.dispose();

    const second = (await open()).agent();
    expect(second.tools().map(tool => tool.name)).toEqual(names);
    expect(second.tools()[0]).toMatchObject({ protocol_version: '2025-11-25', handle: { epoch: null } });
    expect(await second.list()).toMatchObject([
      { server: 'everything', state: 'stopped', saved: true, enabled: true, holdings: [] },
    ]);
    expect(await running()).toEqual([]);
    // A handle of the sleeping server holds: waking gives it its connection.
    const [echo] = second.tools().filter(tool => tool.tool === 'echo');
    if (!echo) throw new Error('the server lost its echo');
    const { result } = await second.call(echo, { message: 'hi' });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Echo: hi' }] });
    expect(await running()).toHaveLength(1);
    expect(await second.saved().list()).toMatchObject([
      { serverId: added.serverId, state: 'connected', actor: 'operator' },
    ]);
  });

  it('a server that crashed is started again, and its tools come back under their names', {
    timeout: 60_000,
  }, async () => {
    const agent = (await open()).agent();
    await agent.load(small('crashing', 'crash-mid-call'), { save: true });
    const [tool] = agent.tools();
    await expect(agent.call('crashing__crash')).rejects.toMatchObject({ code: 'unknown-outcome' });
    const state = async () => (await agent.saved().list())[0];
    const seen = new Map<string, string | undefined>();
    const back = await eventually(async () => {
      const now = await state();
      if (now) seen.set(now.state, now.error?.message);
      return now?.state === 'connected' && seen.has('restarting');
    }, 30_000);
    expect([back, seen.get('restarting')]).toEqual([true, expect.stringContaining('crashing')]);
    expect(agent.tools().map(one => one.name)).toEqual(['crashing__crash']);
    if (!tool) throw new Error('nothing was listed');
    await expect(agent.call(tool)).rejects.toMatchObject({ code: 'stale-handle' });
  });

  it('an idle server sleeps without losing its tools, and its next call wakes it', { timeout: 60_000 }, async () => {
    const agent = (await open({ env: { ...process.env, LONGSHORE_IDLE_TIMEOUT: '0.3' } })).agent();
    await agent.load(official(), { save: true });
    const names = agent.tools().map(tool => tool.name);
    expect(await eventually(async () => (await running()).length === 0, 15_000)).toBe(true);
    expect(agent.tools().map(tool => tool.name)).toEqual(names);
    const { result } = await agent.call('everything__echo', { message: 'awake' });
    expect(result).toMatchObject({ content: [{ text: 'Echo: awake' }] });
    // One that is only loaded is its program's to keep awake.
    await agent.load(small('loaded', 'noisy'));
    await new Promise(resolve => setTimeout(resolve, 1_000));
    expect((await agent.list()).find(one => one.server === 'loaded')?.state).toBe('connected');
  });

  it('R4, R68: disabled it is gone and stays gone over a restart; changed it is another; removed nothing is left', {
    timeout: 60_000,
  }, async () => {
    const first = (await open()).agent();
    await first.load(small('teller', 'tells-environment'), { save: true });
    expect(await running()).toHaveLength(1);
    await first.saved().disable('teller');
    expect(await running()).toEqual([]);
    await hosts[0]?.dispose();

    const second = (await open()).agent();
    expect([second.tools(), await second.list()]).toMatchObject([[], [{ state: 'disabled', enabled: false }]]);
    await expect(second.load('teller')).rejects.toMatchObject({ code: 'server-disabled' });
    await second.saved().enable('teller');
    const environment = async () => {
      const { result } = await second.call('teller__environment');
      const [content] = result['content'] as readonly { text: string }[];
      return JSON.parse(content?.text ?? '') as Record<string, string>;
    };
    expect((await environment())['TOKEN_OF_TEST']).toBe(token);
    await second.saved().change('teller', { env: { TOKEN_OF_TEST: { set: true }, ADDED: 'more' } });
    expect(await running()).toEqual([]);
    expect(second.tools()).toEqual([]);
    await second.saved().refreshTools('teller');
    expect(await environment()).toMatchObject({ TOKEN_OF_TEST: token, ADDED: 'more' });
    expect(await second.saved().remove('teller')).toMatchObject({
      process_removed: true,
      handles_withdrawn: 1,
      saved_removed: true,
    });
    expect([await running(), second.tools(), await second.list(), await second.saved().list()]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(await hosts[1]?.secrets.list()).toEqual([]);
  });

  it('S15: a secret in a saved environment reaches the server and is in no file of the home, in no list and no record', {
    timeout: 60_000,
  }, async () => {
    const lines: string[] = [];
    const write = (fields: object, message: string) => void lines.push(JSON.stringify([fields, message]));
    const host = await open({ log: { debug: write, info: write, warn: write, error: write } });
    const agent = host.agent();
    const config = { ...small('printing', 'prints-secret'), env: { TOKEN_OF_TEST: token, API_TOKEN: token } };
    await agent.saved().add(config);
    await agent.saved().importJson(JSON.stringify({ mcpServers: { teller: small('teller', 'tells-environment') } }));
    await agent.load('printing');
    const told = await agent.call((await agent.load('teller')).tools[0] ?? '');
    expect(JSON.stringify(told.result)).toContain(token);
    await agent.saved().change('printing', { args: [fixture('prints-secret'), 'again'] });
    await agent
      .saved()
      .refreshTools('printing')
      .catch(() => undefined);
    const shown = [
      await agent.saved().list(),
      await agent.list(),
      await agent.audit.list({ limit: 1_000 }),
      await agent.logs('printing'),
      lines,
    ];
    await host.dispose();
    expect(JSON.stringify(shown)).not.toContain(token);
    const files = await filesOfHome();
    // Asked for yes or no, so that a failure does not print the files.
    const base64 = Buffer.from(token).toString('base64').replaceAll('=', '');
    const holds = ['${secret:printing.TOKEN_OF_TEST}', token, base64].map(text => files.includes(text));
    expect(holds).toEqual([true, false, false]);
  });

  it('a secret that is missing is asked for by name when the server starts, and setting it is enough', async () => {
    const host = await open();
    const agent = host.agent();
    await agent.saved().add({ ...small('teller', 'tells-environment'), env: { TOKEN_OF_TEST: '${secret:my.token}' } });
    await expect(agent.load('teller')).rejects.toMatchObject({
      code: 'unresolved-reference',
      message: expect.stringContaining('longshore secret set my.token'),
    });
    await host.secrets.set('my.token', token, { actor: 'operator' });
    await agent.load('teller');
    expect(await running()).toHaveLength(1);
    expect((await agent.audit.list({})).length).toBeGreaterThan(0);
    // What the person set is the person's: the server goes without it.
    await agent.saved().remove('teller');
    expect((await host.secrets.list()).map(secret => secret.name)).toEqual(['my.token']);
    expect(await host.secrets.remove('my.token', { actor: 'operator' })).toBe(true);
    expect(await host.secrets.remove('my.token', { actor: 'operator' })).toBe(false);
  });

  it("S11: D1's samples and a bad entry are imported, one is edited, both are deleted", async () => {
    const agent = (await open()).agent();
    const docker = { command: 'docker', args: ['run', '--rm', '-i', 'ghcr.io/github/github-mcp-server'] };
    const npx = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'] };
    const saved = agent.saved('operator');
    const first = await saved.importJson(JSON.stringify({ mcpServers: { github: docker, bad: { args: ['x'] } } }));
    expect(first.skipped).toEqual([{ key: 'bad', reason: expect.stringContaining('command') }]);
    const second = await saved.importJson(JSON.stringify({ mcpServers: { github: npx, other: docker } }));
    expect(second.updated).toEqual([{ ...first.created[0], notes: [] }]);
    expect((await saved.list()).map(({ name, kind, server }) => [name, kind, server])).toEqual([
      ['github', 'process', 'github'],
      ['other', 'docker-run', 'other'],
    ]);
    await saved.change('github', { env: { GITHUB_TOKEN: token } });
    expect((await saved.list())[0]).toMatchObject({
      serverId: first.created[0]?.serverId,
      config: { ...npx, env: { GITHUB_TOKEN: { set: true } } },
    });
    expect(await saved.remove(first.created[0]?.serverId ?? '')).toMatchObject({ saved_removed: true });
    expect(await saved.remove('other')).toMatchObject({ process_removed: 'not_running', saved_removed: true });
    expect(await agent.list()).toEqual([]);
    const actions = (await agent.audit.list({ order: 'oldest-first' })).map(row => [
      row.action,
      row.subject,
      row.caller,
    ]);
    expect(actions).toEqual([
      ['server_saved', 'github', 'operator'],
      ['server_saved', 'github', 'operator'],
      ['server_saved', 'other', 'operator'],
      ['server_changed', 'github', 'operator'],
      ['server_removed', 'github', 'operator'],
      ['server_removed', 'other', 'operator'],
    ]);
  });

  it('S12, R59: a row of an older version and a damaged one keep the home from nothing, and can be removed', async () => {
    const before = (await open()).agent();
    await before.saved().add(small('good', 'noisy'));
    await before.saved().add(small('bad', 'noisy'));
    const { agentId } = before;
    await hosts[0]?.dispose();
    const database = foreignDatabase(join(home, 'longshore.db'));
    database.exec(`update servers set config_json = '{' where name = 'bad'`);
    database
      .prepare(
        `insert into servers (server_id, agent_id, name, server_key, mode, image, enabled, actor, created_at, updated_at)
         values ('old', ?, 'mcp-mcp-time-latest', 'mcp-mcp-time-latest', 'container', 'mcp/time:latest', 1, 'operator', 1, 1)`,
      )
      .run(agentId);
    database.close();
    const agent = (await open()).agent();
    expect((await agent.list()).map(({ server, state }) => [server, state])).toEqual([
      ['good', 'stopped'],
      ['bad', 'restore-failed'],
      ['mcp-mcp-time-latest', 'legacy'],
    ]);
    await agent.load('good');
    expect(await agent.unload('mcp-mcp-time-latest')).toMatchObject({
      process_removed: 'not_running',
      saved_removed: true,
    });
    expect(await agent.saved().remove('bad')).toMatchObject({ saved_removed: true });
    expect((await agent.saved().list()).map(({ name }) => name)).toEqual(['good']);
  });

  it('an ephemeral host saves for its own life only, and leaves no file', async () => {
    const agent = (await open({ ephemeral: true })).agent();
    await agent.load({ ...small('teller', 'tells-environment') }, { save: true });
    expect(await agent.saved().list()).toMatchObject([{ state: 'connected' }]);
    await hosts[0]?.dispose();
    expect(await readdir(folder)).toEqual([]);
  });

  it('R68: a hundred saved servers are listed with their tools as soon as the host is open, and none is started', {
    timeout: 60_000,
  }, async () => {
    const before = (await open()).agent();
    await before.saved().add(official());
    const { tools } = await before.saved().refreshTools('everything');
    await hosts[0]?.dispose();
    const database = foreignDatabase(join(home, 'longshore.db'));
    for (let index = 1; index < 100; index += 1) {
      database.exec(
        `insert into servers select 'id-${index}', agent_id, name || '-${index}', server_key || '-${index}', mode,
           replace(config_json, '"name":"everything"', '"name":"everything-${index}"'), image, args_json, enabled, actor, created_at, updated_at, loaded
         from servers where name = 'everything';
         insert into cached_definitions select 'id-${index}', kind, wire_name, position, definition, definition_digest, protocol_version, discovered_at
         from cached_definitions where server_id = (select server_id from servers where name = 'everything')`,
      );
    }
    database.close();
    const agent = (await open()).agent();
    expect(agent.tools()).toHaveLength(tools.length * 100);
    expect(await running()).toEqual([]);
    const { result } = await agent.call('everything-99__echo', { message: 'hi' });
    expect(result).toMatchObject({ content: [{ text: 'Echo: hi' }] });
    expect(await running()).toHaveLength(1);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Json, post, rawLegacy } from '../fixtures/raw-mcp.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually, root } from './run-longshore.ts';

const patience = 120_000;

/** `longshore mcp` as a client that only starts commands sees it. */
class Bridge {
  readonly child: ChildProcess;
  readonly frames: Json[] = [];

  constructor(world: McpHome, ...args: readonly string[]) {
    this.child = spawn(process.execPath, [join(root, 'bin', 'longshore.js'), 'mcp', ...args], {
      env: { ...process.env, ...world.home.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let rest = '';
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.frames.push(...lines.map(line => JSON.parse(line)));
    });
  }

  send(frame: Json, end = '\n'): void {
    this.child.stdin?.write(JSON.stringify({ jsonrpc: '2.0', ...frame }) + end);
  }

  async answer(id: unknown): Promise<Json> {
    const find = () => this.frames.find(frame => frame.id === id && frame.method === undefined);
    await eventually(async () => find() !== undefined, 60_000);
    return find();
  }

  async greet(): Promise<void> {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    this.send({ id: 'hello', method: 'initialize', params });
    const { result } = await this.answer('hello');
    if (result?.protocolVersion !== '2025-06-18') throw new Error(`it was not greeted: ${JSON.stringify(result)}`);
    this.send({ method: 'notifications/initialized' });
  }

  call(id: unknown, name: string, ms = 0, end = '\n'): void {
    this.send({ id, method: 'tools/call', params: { name: `talks__${name}`, arguments: { ms } } }, end);
  }
}

async function world(): Promise<McpHome> {
  const made = await mcpHome();
  await made.save('talks', stdioFixture('talks'));
  await made.allow('talks.*');
  return made;
}

describe('longshore mcp', () => {
  it('stays over a restart of the service: what ran gets an error, what follows is answered, lists are told as changed', {
    timeout: patience,
  }, async () => {
    await using made = await world();
    const { name } = await made.caller('desk');
    const bridge = new Bridge(made, '--caller', name);
    await bridge.greet();
    bridge.call(1, 'slow');
    expect((await bridge.answer(1)).result.content[0].text).toBe('call 1');
    bridge.call(2, 'slow', 60_000);
    await sleep(500);
    await made.home.run('stop');
    expect((await bridge.answer(2)).error.data).toEqual({ code: 'unknown-outcome' });
    expect(made.home.servicePid()).toBeUndefined();
    // The next word of the client starts the service, and the handshake is repeated behind its back.
    bridge.call(3, 'slow');
    expect((await bridge.answer(3)).result.content[0].text).toBe('call 1');
    expect(bridge.frames.filter(({ method }) => method === 'notifications/tools/list_changed').length).toBeGreaterThan(
      0,
    );
    expect(bridge.frames.filter(({ id }) => id === 'hello')).toHaveLength(1);
    expect(bridge.frames.every(({ id }) => !String(id).startsWith('longshore-again'))).toBe(true);
    bridge.child.stdin?.end();
    expect(await once(bridge.child, 'exit')).toEqual([0, null]);
  });

  it('takes the end of its input for the end of requests: what runs is answered, a last line without a line break too', {
    timeout: patience,
  }, async () => {
    await using made = await world();
    const { token } = await made.caller('desk');
    made.home.env['LONGSHORE_TOKEN'] = token;
    const bridge = new Bridge(made);
    await bridge.greet();
    bridge.call(1, 'slow', 1_500);
    bridge.call(2, 'slow', 10, '');
    bridge.child.stdin?.end();
    const [code] = await once(bridge.child, 'exit');
    expect(code).toBe(0);
    expect(bridge.frames.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2]));
    delete made.home.env['LONGSHORE_TOKEN'];
  });

  it('ends, and cancels what runs, when nobody reads what it writes', { timeout: patience }, async () => {
    await using made = await world();
    const { name } = await made.caller('desk');
    const bridge = new Bridge(made, '--caller', name);
    await bridge.greet();
    bridge.child.stdout?.destroy();
    bridge.call(1, 'slow', 100);
    expect(await once(bridge.child, 'exit')).toEqual([0, null]);
    expect((await made.home.run('mcp')).code).toBe(2);
  });
});

describe('a 2025 client over HTTP', () => {
  it('goes on with its session after a restart of the service, and with none that it ended itself', {
    timeout: patience,
  }, async () => {
    await using made = await world();
    const { token } = await made.caller('desk');
    const port = new URL(made.origin).port;
    const session = await rawLegacy(`${made.origin}/mcp`, token);
    await made.home.run('stop');
    const { url } = await made.home.serve('--port', port);
    const ping = (headers: Readonly<Record<string, string>>) =>
      post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    const answer = await ping(session.headers);
    expect([answer.status, answer.frames[0].result.tools.length]).toEqual([200, 2]);
    const stranger = (await made.home.json('token', 'create', 'stranger')) as { token: string };
    expect((await ping({ ...session.headers, authorization: `Bearer ${stranger.token}` })).status).toBe(404);
    await fetch(`${url}/mcp`, { method: 'DELETE', headers: session.headers });
    expect((await ping(session.headers)).status).toBe(404);
  });

  it('that never said which level of logs it wants is sent what a server says by itself', {
    timeout: patience,
  }, async () => {
    await using made = await world();
    const { token } = await made.caller('desk');
    const url = `${made.origin}/mcp`;
    await using session = await rawLegacy(url, token);
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'talks__log', arguments: { ms: 50 } } };
    const { frames } = await post(url, call, session.headers);
    expect(frames.map(({ method }) => method)).toContain('notifications/message');
  });

  it('that can be told nothing while it waits is answered within 20 s where to decide', {
    timeout: patience,
  }, async () => {
    await using made = await mcpHome();
    await made.save('talks', stdioFixture('talks'));
    const { token } = await made.caller('desk');
    await using session = await rawLegacy(`${made.origin}/mcp`, token);
    const began = performance.now();
    const { result } = await session.request('tools/call', { name: 'talks__slow', arguments: {} });
    // A slow machine adds some; without the limit it would be 50 s.
    expect(performance.now() - began).toBeLessThan(35_000);
    expect(result._meta['longshore/failure'].code).toBe('approval-pending');
  });

  it('that hung up while its call waited has no call run when it is approved; the same call made again runs', {
    timeout: patience,
  }, async () => {
    await using made = await mcpHome();
    await made.save('talks', stdioFixture('talks'));
    const { token } = await made.caller('desk');
    const url = `${made.origin}/mcp`;
    await using session = await rawLegacy(url, token);
    const gone = new AbortController();
    const params = { name: 'talks__slow', arguments: {}, _meta: { progressToken: 'p' } };
    const held = post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session.headers, gone.signal);
    let open: Json[] = [];
    await eventually(async () => (open = await made.rest('GET', '/api/approvals')).length > 0, 30_000);
    gone.abort();
    await held.catch(() => {});
    const state = async () => (await made.rest('GET', `/api/approvals/${open[0].id}`)).state;
    expect(await eventually(async () => (await state()) === 'awaiter-gone', 30_000)).toBe(true);
    await made.rest('POST', `/api/approvals/${open[0].id}`, { approve: true });
    await sleep(500);
    const { result } = await session.request('tools/call', { name: 'talks__slow', arguments: {} });
    expect(result.content[0].text).toBe('call 1');
  });
});

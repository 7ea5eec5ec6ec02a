import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Agent, type Host, openHost } from '../../src/index.ts';
import { remoteRunner, remoteSpec } from '../../src/runners/remote.ts';
import { type Connected, connect } from '../fixtures/connecting.ts';
import { legacyMcp, modernMcp, sendJson } from '../fixtures/http-mcp.ts';
import { serveHttp, startHttpFixture } from '../fixtures/http-server.ts';
import { type SessionServerOptions, sessionServer } from '../fixtures/session-server.ts';

/** Milliseconds for what takes its turn on a slow machine. */
const patience = 10_000;

describe('a remote server that was restarted and knows no session of before', () => {
  afterEach(() => void vi.useRealTimers());

  async function count(agent: Agent): Promise<string> {
    const { result } = await agent.call('far__count', {});
    return JSON.stringify(result['content']);
  }

  it.each<[string, SessionServerOptions, { readonly save: boolean }]>([
    ['says 404', {}, { save: false }],
    ['says 404, saved', {}, { save: true }],
    [
      'says 400 and names the session',
      { refusal: { status: 400, message: 'Bad Request: No valid session ID provided' } },
      { save: false },
    ],
  ])(
    'docker-problems 12: %s: that call is told to be undone and is not sent again, the next one works',
    async (_what, options, save) => {
      await using server = await sessionServer(options);
      await using host = await openHost({ ephemeral: true, handleSignals: false });
      const agent = host.agent();
      await agent.load({ name: 'far', endpoint: server.url }, save);
      expect(await count(agent)).toContain('"1"');
      await server.restart();
      await expect(count(agent)).rejects.toMatchObject({ code: 'connection-lost', data: { mayHaveRun: false } });
      expect(server.executed()).toBe(1);
      expect(await count(agent)).toContain('"2"');
      expect(server.arrived.filter(method => method === 'tools/call')).toHaveLength(3);
      expect(server.arrived.filter(method => method === 'initialize')).toHaveLength(2);
      expect(agent.tools().map(tool => tool.name)).toEqual(['far__count']);
    },
  );

  it('that streams is found out by its stream, before any call meets it', async () => {
    await using server = await sessionServer({ streams: true });
    await using host = await openHost({ ephemeral: true, handleSignals: false });
    const agent = host.agent();
    await agent.load({ name: 'far', endpoint: server.url });
    await vi.waitFor(() => expect(server.arrived).toContain('GET'), patience);
    await server.restart();
    await vi.waitFor(() => expect(server.arrived.filter(method => method === 'initialize')).toHaveLength(2), patience);
    expect(await count(agent)).toContain('"1"');
    expect(server.arrived.filter(method => method === 'tools/call')).toHaveLength(1);
  });

  it('is back for its next call, however long nobody listened', async () => {
    await using server = await sessionServer();
    await using host = await openHost({ ephemeral: true, handleSignals: false });
    const agent = host.agent();
    await agent.load({ name: 'far', endpoint: server.url });
    await server.restart(async () => {
      await expect(count(agent)).rejects.toMatchObject({ code: expect.stringMatching(/unreachable|connection-lost/) });
    });
    await expect(count(agent)).rejects.toMatchObject({ data: { mayHaveRun: false } });
    expect(await count(agent)).toContain('"1"');
  });
});

describe('a machine that slept', () => {
  afterEach(() => void vi.useRealTimers());

  /** A host whose machine can be put to sleep: the time of day goes on, and nothing else. */
  async function sleepyHost(): Promise<{ readonly host: Host; sleep(milliseconds: number): void }> {
    let slept = 0;
    const clock = {
      now: () => Date.now() + slept,
      sleep: (milliseconds: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          const timer = setTimeout(resolve, milliseconds);
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          signal?.addEventListener('abort', () => clearTimeout(timer), { once: true });
        }),
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const host = await openHost({ ephemeral: true, handleSignals: false, clock });
    return {
      host,
      sleep(milliseconds) {
        slept += milliseconds;
        vi.advanceTimersByTime(5_000);
      },
    };
  }

  it('looks at once whether remote servers still know it, and the first call works', async () => {
    await using server = await sessionServer();
    const { host, sleep } = await sleepyHost();
    await using _host = host;
    const agent = host.agent();
    await agent.load({ name: 'far', endpoint: server.url });
    await server.restart();
    sleep(600_000);
    await vi.waitFor(() => expect(server.arrived.filter(method => method === 'initialize')).toHaveLength(2), patience);
    await vi.waitFor(async () => expect((await agent.list())[0]?.state).toBe('connected'), patience);
    expect((await agent.call('far__count', {})).result).toMatchObject({ content: [{ text: '1' }] });
    expect(server.arrived.filter(method => method === 'tools/call')).toHaveLength(1);
  });

  it('leaves those alone that still know it', async () => {
    await using server = await sessionServer();
    const { host, sleep } = await sleepyHost();
    await using _host = host;
    const agent = host.agent();
    await agent.load({ name: 'far', endpoint: server.url });
    sleep(600_000);
    await vi.waitFor(() => expect(server.arrived).toContain('ping'), patience);
    expect((await agent.call('far__count', {})).result).toMatchObject({ content: [{ text: '1' }] });
    expect(server.arrived.filter(method => method === 'initialize')).toHaveLength(1);
  });
});

describe('a sign of life', () => {
  function to(url: string): Promise<Connected> {
    const spec = { kind: 'remote', url, transport: 'streamable-http', inferred: false, headers: {} };
    return connect(request => remoteRunner.open(remoteSpec.parse(spec), request));
  }

  it('that does not come ends the connection; what was under way is an unknown outcome, and nothing is left open', async () => {
    await using server = await sessionServer({ silent: true });
    const { connection, call } = await to(server.url);
    await server.restart();
    const outcome = Promise.allSettled([call('count')]);
    await vi.waitFor(() => expect(server.arrived).toContain('tools/call'), patience);
    await connection.checkLife(200);
    expect(await outcome).toMatchObject([{ reason: { code: 'unknown-outcome' } }]);
    expect((await connection.ended).reason).toContain('no sign of life within 0.2 s');
    await connection.close();
    expect(server.arrived).not.toContain('DELETE');
    await vi.waitFor(() => expect(server.openSockets()).toBe(0), patience);
  });

  it('cannot come where nobody listens any more', async () => {
    const server = await sessionServer();
    const { connection } = await to(server.url);
    await server[Symbol.asyncDispose]();
    await connection.checkLife(60_000);
    expect((await connection.ended).reason).toContain('Cannot reach');
    await connection.close();
  });

  it.each([400, 401, 403])('is an answer that says no, too (HTTP %i)', async status => {
    await using server = await serveHttp(
      legacyMcp({
        first({ body }, response) {
          if (!body.includes('"ping"')) return false;
          sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'no' } }, status);
          return true;
        },
      }),
    );
    const { connection } = await to(`${server.origin}/mcp`);
    await connection.checkLife(60_000);
    expect(connection.state.name).toBe('ready');
    await connection.close();
  });

  it('of a server of 2026-07-28 is what it says of itself; one that was restarted is the same to us', async () => {
    let discovered = 0;
    const answer = modernMcp((id, response) => sendJson(response, { jsonrpc: '2.0', id, result: { content: [] } }));
    const server = await serveHttp((request, response) => {
      if (request.body.includes('server/discover')) discovered += 1;
      answer(request, response);
    });
    const { connection, call } = await to(`${server.origin}/mcp`);
    await server[Symbol.asyncDispose]();
    await using again = await serveHttp(answer, Number(new URL(server.origin).port));
    await connection.checkLife(60_000);
    expect([connection.state.name, discovered]).toEqual(['ready', 1]);
    await expect(call('tool')).resolves.toMatchObject({ content: [] });
    expect(again.arrived.map(({ body }) => JSON.parse(body).method)).toEqual(['server/discover', 'tools/call']);
    await connection.close();
  });

  it('is followed by a look at the lists, for what was told meanwhile nobody heard', async () => {
    await using server = await startHttpFixture('modern-http.js');
    const { connection } = await to(`${server.origin}/mcp`);
    const changed = vi.fn<() => void>();
    connection.onListChanged(changed);
    await connection.checkLife(60_000);
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), patience);
    await connection.close();
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConnectionRequest } from '../../src/connections/connection-request.ts';
import { defaultDeadlines } from '../../src/core/deadlines.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type VerdictKey, verdictsInMemory } from '../../src/core/ports/verdicts.ts';
import type { Definition, Progress } from '../../src/core/words.ts';
import { type RemoteSpec, remoteRunner, remoteSpec } from '../../src/runners/remote.ts';
import { answeringClient } from '../fixtures/answering-client.ts';
import { type Connected, connect } from '../fixtures/connecting.ts';
import { legacyMcp, openStream, sendJson } from '../fixtures/http-mcp.ts';
import {
  type Arrived,
  type Handler,
  type HttpFixture,
  serveHttp,
  startEverything,
  startHttpFixture,
} from '../fixtures/http-server.ts';

// Whole programs, which take their time to start: once for all tests.
let modern: HttpFixture;
let streamable: HttpFixture;
let twoEndpoints: HttpFixture;
const running = new AsyncDisposableStack();
beforeAll(async () => {
  const keep = (server: HttpFixture): HttpFixture => running.use(server);
  [modern, streamable, twoEndpoints] = await Promise.all([
    startHttpFixture('modern-http.js').then(keep),
    startEverything('streamableHttp').then(keep),
    startEverything('sse').then(keep),
  ]);
});
afterAll(() => running.disposeAsync());

const stay = new AbortController().signal;

function to(url: string, over: Partial<ConnectionRequest> = {}, more: Partial<RemoteSpec> = {}): Promise<Connected> {
  const spec = remoteSpec.parse({
    kind: 'remote',
    url,
    transport: 'streamable-http',
    inferred: true,
    headers: {},
    ...more,
  });
  return connect(request => remoteRunner.open(spec, request), over);
}

const bodyOf = (request: Arrived): { method?: string; id?: number; params?: JsonObject } =>
  request.body === '' ? {} : (JSON.parse(request.body) as { method?: string; id?: number });
const asked = (arrived: readonly Arrived[]): readonly (string | undefined)[] =>
  arrived.map(request => bodyOf(request).method ?? request.method);

/** A server of 2026-07-28 in a few lines; `answers` are by method. */
function modernServer(answers: Record<string, (request: Arrived) => JsonObject>): Handler {
  const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const known: typeof answers = {
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
    ...answers,
  };
  return (request, response) => {
    const { id, method = '' } = bodyOf(request);
    const answer = known[method]?.(request);
    const body =
      answer === undefined || 'error' in answer
        ? { error: { code: -32_601, message: 'no' }, ...answer }
        : { result: { ...fresh, ...answer } };
    sendJson(response, { jsonrpc: '2.0', id, ...body }, 'error' in body ? 400 : 200);
  };
}

describe('Streamable HTTP of 2026-07-28', () => {
  it('R44: lists, calls, asks in rounds, tells progress and changes', async () => {
    const client = answeringClient(() => ({ action: 'accept', content: { name: 'Ada' } }));
    const { connection, call } = await to(`${modern.origin}/mcp`, { client });
    expect(connection.protocolVersion).toBe('2026-07-28');
    expect(await call('greet')).toMatchObject({ content: [{ text: 'Hello Ada' }] });
    expect(await call('weather', { city: 'Kiel' })).toMatchObject({ structuredContent: { celsius: 21 } });
    const heard: Progress[] = [];
    await call('slow', { steps: 3, pause: 5 }, { onprogress: progress => heard.push(progress) });
    expect(heard.map(({ progress, message }) => [progress, message])).toEqual([
      [1, 'step 1'],
      [2, 'step 2'],
      [3, 'step 3'],
    ]);
    const changed = vi.fn<() => void>();
    connection.onListChanged(changed);
    await call('grow');
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 10_000);
    expect((await connection.discover(stay)).tools.map(({ name }) => name)).toContain('grown-1');
    await connection.close();
    await vi.waitFor(() => expect(modern.openSockets()).toBe(0));
  });

  it('takes 404 with the error of an unknown method for what it says: no templates are nothing that is wrong', async () => {
    const known = modernServer({
      'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {} } }),
      'tools/list': () => ({ tools: [] }),
      'resources/list': () => ({ resources: [{ uri: 'own://a', name: 'a' }] }),
    });
    await using server = await serveHttp((request, response) => {
      const { id, method } = bodyOf(request);
      if (method !== 'resources/templates/list') return known(request, response);
      sendJson(response, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }, 404);
    });
    const { connection } = await to(`${server.origin}/mcp`);
    expect((await connection.discover(stay)).resources).toMatchObject([{ name: 'a' }]);
    expect(connection.diagnostics()).toEqual([]);
    await connection.close();
  });

  it('mirrors arguments into headers by the definition of the handle, and sends no call twice', async () => {
    const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    const mismatch = { code: -32_020, message: 'header mismatch' };
    await using server = await serveHttp(
      modernServer({
        'tools/list': () => ({ tools: [{ name: 'find', inputSchema }] }),
        'tools/call': ({ headers }) =>
          headers['mcp-param-region'] === 'north' ? { content: [] } : { error: mismatch },
      }),
    );
    const { connection, call } = await to(`${server.origin}/mcp`);
    expect(await call('find', { region: 'north' })).toMatchObject({ content: [] });
    const old = { name: 'find', inputSchema: { type: 'object' } } as Definition;
    await expect(call('find', { region: 'north' }, { definition: old })).rejects.toMatchObject({
      code: 'server-error',
      data: mismatch,
    });
    expect(asked(server.arrived)).toEqual(['server/discover', 'tools/list', 'tools/call', 'tools/call']);
    await connection.close();
  });

  it('is not asked again what it is where that is remembered, and is where that was wrong', async () => {
    await using server = await serveHttp(modernServer({ 'tools/list': () => ({ tools: [] }) }));
    const verdicts = verdictsInMemory();
    const first = await to(`${server.origin}/mcp`, { verdicts });
    await first.connection.close();
    const before = server.arrived.length;
    const second = await to(`${server.origin}/mcp`, { verdicts });
    await second.connection.close();
    // At the same time, not one after the other.
    expect(new Set(asked(server.arrived.slice(before)))).toEqual(new Set(['server/discover', 'tools/list']));
    expect(server.arrived).toHaveLength(before + 2);

    await using old = await serveHttp(legacyMcp());
    const third = await to(`${old.origin}/mcp`, { verdicts });
    expect(third.connection.protocolVersion).toBe('2025-11-25');
    expect(await verdicts.get('key' as VerdictKey)).toEqual({ era: 'legacy' });
    await third.connection.close();
  });

  it('hears that a call was given up by the end of its stream', async () => {
    const gone = Promise.withResolvers<void>();
    await using server = await serveHttp((request, response) => {
      if (bodyOf(request).method !== 'tools/call')
        return modernServer({ 'tools/list': () => ({ tools: [] }) })(request, response);
      openStream(response);
      response.on('close', gone.resolve);
    });
    const { connection, call } = await to(`${server.origin}/mcp`);
    await expect(call('x', {}, { idleTimeout: 50 })).rejects.toMatchObject({
      code: 'timeout',
      data: { limit: 'idle' },
    });
    await gone.promise;
    expect(asked(server.arrived)).not.toContain('notifications/cancelled');
    await connection.close();
  });

  it('leaves an unknown outcome where it breaks off in a call, and goes on with the next', async () => {
    await using server = await serveHttp((request, response) => {
      const { method, params } = bodyOf(request);
      if (method === 'tools/call' && params?.name === 'break') response.destroy();
      else
        modernServer({ 'tools/list': () => ({ tools: [] }), 'tools/call': () => ({ content: [] }) })(request, response);
    });
    const { connection, call } = await to(`${server.origin}/mcp`);
    await expect(call('break')).rejects.toMatchObject({ code: 'unknown-outcome' });
    await expect(call('next')).resolves.toMatchObject({ content: [] });
    expect(asked(server.arrived).filter(method => method === 'tools/call')).toHaveLength(2);
    await connection.close();
  });
});

describe('Streamable HTTP of 2025', () => {
  it('R44: works with the official example server, and ends its session (R51)', async () => {
    const { connection, call } = await to(`${streamable.origin}/mcp`);
    expect([connection.era, connection.transport]).toEqual(['legacy', 'streamable-http']);
    expect(await call('echo', { message: 'ahoy' })).toMatchObject({ content: [{ text: 'Echo: ahoy' }] });
    await connection.close();
    await vi.waitFor(() => expect(streamable.openSockets()).toBe(0));
  });

  it('R51: DELETE is sent once, after the calls under way were cancelled', async () => {
    await using server = await serveHttp(legacyMcp({ call: (_id, response) => openStream(response) }));
    const { connection, call } = await to(`${server.origin}/mcp`);
    const outcome = Promise.allSettled([call('tool')]);
    await vi.waitFor(() => expect(asked(server.arrived)).toContain('tools/call'));
    await connection.close();
    expect(await outcome).toMatchObject([{ reason: { code: 'unknown-outcome' } }]);
    expect(asked(server.arrived).slice(-3)).toEqual(['tools/call', 'notifications/cancelled', 'DELETE']);
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('R51: a DELETE that hangs costs one budget', async () => {
    await using server = await serveHttp(legacyMcp({ end: () => undefined }));
    const { connection } = await to(`${server.origin}/mcp`, { deadlines: { ...defaultDeadlines, close: 200 } });
    await connection.close();
    expect(connection.state.name).toBe('closed');
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('docker-problems 12: a session that is gone ends the connection; nothing is sent again', async () => {
    let restarted = false;
    await using server = await serveHttp(
      legacyMcp({
        first(request, response) {
          if (!restarted || request.method !== 'POST') return false;
          sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } }, 404);
          return true;
        },
      }),
    );
    const { connection, call } = await to(`${server.origin}/mcp`);
    restarted = true;
    await expect(call('tool')).rejects.toMatchObject({ code: 'connection-lost' });
    await expect(connection.ended).resolves.toMatchObject({ reason: expect.any(String) });
    expect(asked(server.arrived).filter(method => method === 'tools/call')).toHaveLength(1);
    await connection.close();
  });
});

describe('HTTP+SSE', () => {
  it('works with the official example server, found by falling back', async () => {
    const phases: string[] = [];
    const { connection, call } = await to(`${twoEndpoints.origin}/sse`, { onPhase: phase => phases.push(phase) });
    expect([connection.era, connection.transport]).toEqual(['legacy', 'sse']);
    expect(phases).toContain('switching');
    expect(connection.diagnostics().map(({ code }) => code)).toContain('transport-fallback');
    expect(await call('echo', { message: 'ahoy' })).toMatchObject({ content: [{ text: 'Echo: ahoy' }] });
    await connection.close();
    await vi.waitFor(() => expect(twoEndpoints.openSockets()).toBe(0));
  });
});

describe('a URL that leads nowhere', () => {
  it.each<[string, Handler, string]>([
    [
      'a web page',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'protocol-error',
    ],
    ['a login', (_request, response) => void response.writeHead(401).end(), 'needs-login'],
    ['a server error', (_request, response) => void response.writeHead(503).end('busy'), 'unreachable'],
  ])('%s is told for what it is', async (_what, handler, code) => {
    await using server = await serveHttp(handler);
    await expect(to(`${server.origin}/mcp`)).rejects.toMatchObject({ code });
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('nobody listening is unreachable', async () => {
    const server = await serveHttp(() => undefined);
    await server[Symbol.asyncDispose]();
    await expect(to(`${server.origin}/mcp`)).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('R49: silence is given up, and nothing is left open', async () => {
    await using server = await serveHttp(() => undefined);
    await expect(to(`${server.origin}/mcp`, { openWithin: 200 })).rejects.toMatchObject({ code: 'timeout' });
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('R50: a start that is cancelled leaves nothing open', async () => {
    await using server = await serveHttp(() => undefined);
    const start = new AbortController();
    const opening = Promise.allSettled([to(`${server.origin}/mcp`, { signal: start.signal })]);
    await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
    start.abort();
    expect(await opening).toMatchObject([{ reason: { code: 'cancelled' } }]);
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });
});

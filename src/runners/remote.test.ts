import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { containerGround } from '../../test/fixtures/container-context.ts';
import { connected, rejection, textOf } from '../../test/fixtures/http-client.ts';
import { legacyMcp, openStream, sendJson } from '../../test/fixtures/http-mcp.ts';
import { type HttpFixture, serveHttp, startEverything, startHttpFixture } from '../../test/fixtures/http-server.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import { agentId, type InstanceId, randomId, serverKey } from '../core/ids.ts';
import { silentLog } from '../core/ports/log.ts';
import { allRevisions } from '../core/protocol-versions.ts';
import { type RemoteSpec, remoteRunner, remoteSpec } from './remote.ts';
import type { Opened, OpenRequest } from './runner.ts';

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

const never = (): never => {
  throw new Error('A remote server has no holdings.');
};

/** A hundred times as fast. */
const hasty: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 100, signal),
};

function request(more: Partial<OpenRequest> = {}, clock = systemClock): OpenRequest {
  return {
    agentId: agentId('did:key:z6MkTest'),
    serverKey: serverKey('remote'),
    deadlines: defaultDeadlines,
    signal: new AbortController().signal,
    capabilities: {},
    revisions: allRevisions,
    onPhase: () => undefined,
    around: {
      env: {},
      platform: 'linux',
      homeDir: '/home/test',
      pid: 1,
      instance: 'instance' as InstanceId,
      clock,
      randomId,
      log: silentLog,
      ledger: { record: never, update: never, forget: never, list: never },
      watchdog: {
        markerEnv: never,
        track: never,
        untrack: never,
        assign: never,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      containers: containerGround(),
    },
    ...more,
  };
}

function spec(url: string, more: Partial<RemoteSpec> = {}): RemoteSpec {
  return remoteSpec.parse({ kind: 'remote', url, transport: 'streamable-http', inferred: true, headers: {}, ...more });
}

/** Connects as a connection does: where negotiation fails, once more over what the runner falls back to. */
async function negotiated(opened: Opened): Promise<{ client: Client; opened: Opened }> {
  try {
    return { client: await connected(opened.wire, opened.revisions?.modern.length === 0 ? 'legacy' : 'auto'), opened };
  } catch (error) {
    const next = opened.fallback?.(error);
    if (next === undefined) throw error;
    return negotiated(await next);
  }
}

describe('the spec of a remote server', () => {
  const problem = (url: string): string | undefined =>
    remoteSpec.safeParse({ kind: 'remote', url, transport: 'sse', inferred: false, headers: {} }).error?.issues[0]
      ?.message;

  it('takes http and https URLs', () => {
    for (const url of ['http://localhost:3000/mcp', 'https://example.com', 'http://[::1]:8080/sse?x=1']) {
      expect(problem(url)).toBeUndefined();
    }
  });

  it('refuses other schemes, texts that are no URL, and a password in it, without repeating it', () => {
    expect(problem('ws://example.com/mcp')).toContain('http:// or https://');
    expect(problem('example.com/mcp')).toContain('is not a URL');
    for (const url of ['https://user:canary@example.com/mcp', 'https://canary@example.com/mcp']) {
      expect(problem(url)).toContain('Authorization header');
      expect(problem(url)).not.toContain('canary');
    }
  });
});

describe('a remote server', () => {
  it('is spoken to over its transport, and its exit is its close', async () => {
    const opened = await remoteRunner.open(spec(`${modern.origin}/mcp`), request());
    expect(modern.openSockets()).toBe(0);
    expect([opened.transport, opened.stderrTail(), opened.diagnostics()]).toEqual(['streamable-http', [], []]);
    const client = await connected(opened.wire);
    expect(textOf(await client.callTool({ name: 'echo', arguments: { text: 'hi' } }))).toBe('hi');
    await opened.closeGracefully(AbortSignal.timeout(5000));
    expect(await opened.exited).toEqual({ how: 'closed' });
    await vi.waitFor(() => expect(modern.openSockets()).toBe(0));
  });

  it('R50: whose start was cancelled is not opened', async () => {
    const error = await rejection(
      remoteRunner.open(spec('http://127.0.0.1:1/mcp'), request({ signal: AbortSignal.abort() })),
    );
    expect(error).toMatchObject({ code: 'cancelled' });
  });

  it('is not opened with headers that HTTP cannot carry', async () => {
    const headers = { 'X-Key': 'a\u0000b' };
    const error = await rejection(remoteRunner.open(spec('http://127.0.0.1:1/mcp', { headers }), request()));
    expect(error).toMatchObject({ code: 'bad-config' });
  });
});

describe('a guessed transport (R13)', () => {
  it('is put right where the server speaks HTTP+SSE only, and that is told', async () => {
    const phases: unknown[] = [];
    const started = await remoteRunner.open(
      spec(`${twoEndpoints.origin}/sse`),
      request({ onPhase: (phase, detail) => phases.push([phase, detail]) }),
    );
    const { client, opened } = await negotiated(started);
    expect(opened.transport).toBe('sse');
    expect(opened.diagnostics()).toMatchObject([
      { code: 'transport-fallback', data: { guessed: 'streamable-http', found: 'sse' } },
    ]);
    expect(phases).toEqual([['switching', 'HTTP+SSE']]);
    expect(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toBe('Echo: hi');
    expect(await started.exited).toEqual({ how: 'closed' });
    await opened.closeForcibly(AbortSignal.timeout(5000));
  });

  it('is put right where the server speaks Streamable HTTP: whatever it answers to a GET', async () => {
    await using silent = await serveHttp(legacyMcp({ stream: (_request, response) => openStream(response) }));
    await using page = await serveHttp(
      legacyMcp({ stream: (_request, response) => sendJson(response, { page: true }) }),
    );
    for (const [server, path] of [
      [modern, '/'],
      [streamable, '/mcp'],
      [silent, '/'],
      [page, '/'],
    ] as const) {
      const { client, opened } = await negotiated(
        await remoteRunner.open(spec(`${server.origin}${path}`, { transport: 'sse' }), request({}, hasty)),
      );
      expect(opened.transport).toBe('streamable-http');
      expect(opened.diagnostics()).toMatchObject([{ code: 'transport-fallback' }]);
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      await opened.closeGracefully(AbortSignal.timeout(5000));
    }
  });

  it('that was not guessed is kept: an explicit transport never falls back', async () => {
    const opened = await remoteRunner.open(spec(`${twoEndpoints.origin}/sse`, { inferred: false }), request());
    const error = await rejection(negotiated(opened));
    expect(opened.wire.explain?.(error)).toMatchObject({ code: 'protocol-error', data: { status: 404 } });
  });

  it('is not changed for a login, a broken server, a broken network, or a server of 2026-07-28 that refuses us', async () => {
    const refusal = { jsonrpc: '2.0', id: null, error: { code: -32_021, message: 'Needs a capability' } };
    for (const answer of [401, 403, 429, 500, 503, 'modern', 'broken'] as const) {
      await using server = await serveHttp((_request, response) => {
        if (answer === 'broken') response.destroy();
        else if (answer === 'modern') sendJson(response, refusal, 400);
        else response.writeHead(answer).end();
      });
      for (const transport of ['streamable-http', 'sse'] as const) {
        const phases: string[] = [];
        const onPhase = (phase: string): void => void phases.push(phase);
        const opened = await remoteRunner.open(spec(server.origin, { transport }), request({ onPhase }));
        await rejection(negotiated(opened));
        expect(phases).toEqual([]);
        await opened.closeForcibly(AbortSignal.timeout(5000));
      }
    }
  });
});

describe('closing a remote server', () => {
  it('R51: ends the session with DELETE first; a server that fails at that is closed all the same', async () => {
    for (const status of [200, 405, 500]) {
      await using server = await serveHttp(
        legacyMcp({ end: (_request, response) => response.writeHead(status).end() }),
      );
      const opened = await remoteRunner.open(spec(server.origin), request());
      await connected(opened.wire);
      await Promise.all([1, 2].map(() => opened.closeGracefully(AbortSignal.timeout(5000))));
      expect(server.arrived.filter(({ method }) => method === 'DELETE').length).toBeGreaterThanOrEqual(1);
      await vi.waitFor(() => expect(server.openSockets()).toBe(0));
    }
  });

  it('R51, R52: a DELETE that hangs ends the polite way with its budget, and force needs no answer', async () => {
    const reached = Promise.withResolvers<void>();
    await using server = await serveHttp(legacyMcp({ end: () => reached.resolve() }));
    const opened = await remoteRunner.open(spec(server.origin), request());
    await connected(opened.wire);
    const budget = new AbortController();
    const polite = rejection(opened.closeGracefully(budget.signal));
    await reached.promise;
    budget.abort();
    expect(await polite).toMatchObject({ code: 'close-failed' });
    expect(server.openSockets()).toBeGreaterThan(0);
    await Promise.all([1, 2].map(() => opened.closeForcibly(AbortSignal.timeout(5000))));
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
    await opened.closeGracefully(AbortSignal.timeout(5000));
  });

  it('R51: also unwinds a negotiation that had only partly come about', async () => {
    const reached = Promise.withResolvers<void>();
    await using server = await serveHttp(
      legacyMcp({
        first: ({ body }) => {
          if (!body.includes('notifications/initialized')) return false;
          reached.resolve();
          return true;
        },
      }),
    );
    const opened = await remoteRunner.open(spec(server.origin), request());
    const half = rejection(connected(opened.wire));
    await reached.promise;
    await opened.closeGracefully(AbortSignal.timeout(5000));
    await half;
    const ended = server.arrived.filter(({ method }) => method === 'DELETE');
    expect(ended.map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-1']);
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });
});

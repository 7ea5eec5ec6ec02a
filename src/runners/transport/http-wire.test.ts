import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ProtocolError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connected, rejection, sdkClient, textOf, wireTo } from '../../../test/fixtures/http-client.ts';
import { event, legacyMcp, modernMcp, openStream, sendJson, textResult } from '../../../test/fixtures/http-mcp.ts';
import { type HttpFixture, serveHttp, startEverything, startHttpFixture } from '../../../test/fixtures/http-server.ts';
import { answerLost } from './frames.ts';
import { createHttpWire } from './http-wire.ts';

// Whole programs, which take their time to start: once for all tests.
let modern: HttpFixture;
let everything: HttpFixture;
const running = new AsyncDisposableStack();
beforeAll(async () => {
  const keep = (server: HttpFixture): HttpFixture => running.use(server);
  [modern, everything] = await Promise.all([
    startHttpFixture('modern-http.js').then(keep),
    startEverything('streamableHttp').then(keep),
  ]);
});
afterAll(() => running.disposeAsync());

const echo = (text: string) => ({ name: 'echo', arguments: { text } });
const tool = { name: 'tool', arguments: {} };

describe('negotiation over Streamable HTTP (R44)', () => {
  it('R44: a server of 2026-07-28 is spoken to in it, or in 2025-11-25 by a client that knows only that', async () => {
    for (const [mode, version] of [
      ['auto', '2026-07-28'],
      ['legacy', '2025-11-25'],
    ] as const) {
      const client = await connected(createHttpWire(wireTo(`${modern.origin}/mcp`)), mode);
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(textOf(await client.callTool(echo('hello')))).toBe('hello');
      await client.close();
    }
  });

  it('R44: a server that knows only initialize is spoken to in 2025-11-25', async () => {
    await using handWritten = await serveHttp(legacyMcp());
    for (const server of [handWritten, everything]) {
      const client = await connected(createHttpWire(wireTo(`${server.origin}/mcp`)));
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      await client.close();
    }
  });

  it('R44: a first request refused with -32022 is repeated in a version that the server names', async () => {
    let refusals = 0;
    await using server = await serveHttp(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      if (method === 'server/discover' && refusals++ === 0) {
        const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
        sendJson(response, { jsonrpc: '2.0', id, error: { code: -32_022, message: 'Unsupported', data } }, 400);
      } else {
        const result = {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'private',
        };
        sendJson(response, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
      }
    });
    const client = await connected(createHttpWire(wireTo(`${server.origin}/mcp`)));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(server.arrived).toHaveLength(2);
    await client.close();
  });
});

describe('a wire over Streamable HTTP', () => {
  it('carries progress, questions, list changes and structured output of 2026-07-28', async () => {
    const changed = Promise.withResolvers<void>();
    const client = sdkClient('auto', changed.resolve);
    await client.connect(createHttpWire(wireTo(`${modern.origin}/mcp`)));
    const seen: number[] = [];
    const slow = { name: 'slow', arguments: { steps: 3, pause: 1 } };
    await client.callTool(slow, { onprogress: ({ progress }) => void seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
    expect(textOf(await client.callTool({ name: 'greet', arguments: {} }))).toBe('Hello Ann');
    expect((await client.callTool({ name: 'weather', arguments: { city: 'Rome' } })).structuredContent).toEqual({
      city: 'Rome',
      celsius: 21,
    });
    await client.callTool({ name: 'grow', arguments: {} });
    await changed.promise;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('grown-1');
    await client.close();
  });

  it('R44: cancels a call of 2026-07-28 by closing its stream, and says nothing more', async () => {
    const reached = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await using server = await serveHttp(
      modernMcp((_id, response) => {
        openStream(response);
        response.on('close', left.resolve);
        reached.resolve();
      }),
    );
    const client = await connected(createHttpWire(wireTo(server.origin)));
    const stop = new AbortController();
    const call = rejection(client.callTool(tool, { signal: stop.signal }));
    await reached.promise;
    stop.abort();
    await left.promise;
    await call;
    expect(server.arrived.filter(({ body }) => body.includes('notifications/cancelled'))).toEqual([]);
    await client.close();
  });

  it('delivers progress that comes in one chunk with its result', async () => {
    await using server = await serveHttp(
      legacyMcp({
        call: (id, response, { body }) => {
          const { params } = JSON.parse(body) as { params: { _meta: { progressToken: number } } };
          const { progressToken } = params._meta;
          const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
          openStream(response);
          response.end(event(progress) + event(textResult(id, 'done')));
        },
      }),
    );
    const client = await connected(createHttpWire(wireTo(server.origin)));
    let seen = 0;
    for (let round = 0; round < 20; round++) await client.callTool(tool, { onprogress: () => void seen++ });
    expect(seen).toBe(20);
    await client.close();
  });

  it('passes results of 8 MiB, as JSON and in a stream', async () => {
    const text = 'ä'.repeat(4 * 1024 * 1024);
    await using server = await serveHttp(
      legacyMcp({
        call: (id, response, { body }) => {
          if (body.includes('"stream"')) {
            openStream(response);
            response.end(event(textResult(id, text)));
          } else {
            sendJson(response, textResult(id, text));
          }
        },
      }),
    );
    const client = await connected(createHttpWire(wireTo(server.origin)));
    for (const as of ['json', 'stream']) {
      expect(textOf(await client.callTool({ name: 'tool', arguments: { as } }))).toBe(text);
    }
    await client.close();
  });

  it('runs many calls at once', async () => {
    const held: (() => void)[] = [];
    await using server = await serveHttp(
      legacyMcp({
        call: (id, response) => {
          held.push(() => sendJson(response, textResult(id, `${id}`)));
          if (held.length === 40) for (const answer of held.toReversed()) answer();
        },
      }),
    );
    const client = await connected(createHttpWire(wireTo(server.origin)));
    const texts = await Promise.all(Array.from({ length: 40 }, async () => textOf(await client.callTool(tool))));
    expect(new Set(texts).size).toBe(40);
    await client.close();
  });
});

describe('the headers of a server', () => {
  it('go with every request, below those that the transport owns', async () => {
    await using server = await serveHttp(legacyMcp({ stream: (_request, response) => openStream(response) }));
    const headers = { Authorization: 'Bearer abc', 'X-Team': 'blue', 'Mcp-Session-Id': 'mine', Accept: 'text/plain' };
    const wire = createHttpWire(wireTo(server.origin, { headers }));
    const client = await connected(wire);
    await client.callTool(tool);
    await vi.waitFor(() => expect(server.arrived.map(({ method }) => method)).toContain('GET'));
    await wire.endSession(AbortSignal.timeout(5000));
    await client.close();
    expect(new Set(server.arrived.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
    for (const { headers: sent } of server.arrived) {
      expect(sent).toMatchObject({ authorization: 'Bearer abc', 'x-team': 'blue' });
      expect(sent['user-agent']).toMatch(/^longshore\//);
      expect(sent['mcp-session-id']).not.toBe('mine');
      expect(sent.accept ?? 'text/event-stream').toMatch(/text\/event-stream/);
    }
  });

  it('never reach another origin: a redirect to one is refused, naming both', async () => {
    await using other = await serveHttp((_request, response) => response.end());
    for (const status of [301, 302, 303, 307, 308]) {
      await using server = await serveHttp((_request, response) => {
        response.writeHead(status, { location: `${other.origin}/mcp` }).end();
      });
      const wire = createHttpWire(wireTo(`${server.origin}/mcp`, { headers: { Authorization: 'Bearer canary' } }));
      const error = wire.explain(await rejection(connected(wire)));
      expect(error).toMatchObject({ code: 'unreachable', data: { mayHaveRun: false } });
      expect(error.message).toContain(server.origin);
      expect(error.message).toContain(other.origin);
      await wire.close();
    }
    expect(other.arrived).toEqual([]);
    expect(other.openSockets()).toBe(0);
  });

  it('follow a redirect within the origin, with method and body', async () => {
    for (const status of [301, 302, 307, 308]) {
      const serve = legacyMcp();
      await using server = await serveHttp((request, response) => {
        if (request.path === '/mcp/') serve(request, response);
        else response.writeHead(status, { location: '/mcp/' }).end();
      });
      const wire = createHttpWire(wireTo(`${server.origin}/mcp`, { headers: { 'X-Team': 'blue' } }));
      const client = await connected(wire);
      expect(textOf(await client.callTool(tool))).toBe('called');
      await wire.endSession(AbortSignal.timeout(5000));
      await client.close();
      const arrived = server.arrived.filter(({ path }) => path === '/mcp/');
      expect(new Set(arrived.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
      expect(arrived.every(({ headers }) => headers['x-team'] === 'blue')).toBe(true);
    }
  });

  it('are not sent in circles, nor to what a 303 wants to be read instead', async () => {
    for (const [status, words] of [
      [307, 'in circles'],
      [303, 'HTTP 303'],
    ] as const) {
      await using server = await serveHttp((_request, response) =>
        response.writeHead(status, { location: '/mcp' }).end(),
      );
      const wire = createHttpWire(wireTo(`${server.origin}/mcp`));
      const error = wire.explain(await rejection(connected(wire)));
      expect(error.code).toBe('unreachable');
      expect(error.message).toContain(words);
      expect(server.arrived.length).toBeLessThan(10);
      await wire.close();
    }
  });
});

describe('the session of a legacy server', () => {
  it('R51: is ended by DELETE, and a server that does not allow that or forgot it is fine', async () => {
    for (const status of [200, 405, 404]) {
      await using server = await serveHttp(
        legacyMcp({ end: (_request, response) => response.writeHead(status).end() }),
      );
      const wire = createHttpWire(wireTo(server.origin));
      const client = await connected(wire);
      await wire.endSession(AbortSignal.timeout(5000));
      await client.close();
      const ended = server.arrived.filter(({ method }) => method === 'DELETE');
      expect(ended.map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-1']);
    }
  });

  it('R51: is not ended where there is none', async () => {
    const wire = createHttpWire(wireTo(`${modern.origin}/mcp`));
    const client = await connected(wire);
    const before = modern.openSockets();
    await wire.endSession(AbortSignal.abort());
    expect(modern.openSockets()).toBe(before);
    await client.close();
  });

  it('R51: a DELETE that hangs ends with the signal, and its socket with the wire', async () => {
    const reached = Promise.withResolvers<void>();
    await using server = await serveHttp(legacyMcp({ end: () => reached.resolve() }));
    const wire = createHttpWire(wireTo(server.origin));
    const client = await connected(wire);
    const limit = new AbortController();
    const ending = rejection(wire.endSession(limit.signal));
    await reached.promise;
    limit.abort(new Error('out of time'));
    expect(await ending).toMatchObject({ message: 'out of time' });
    await client.close();
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('that the server has dropped ends the wire: the call that found out never ran, the others are lost', async () => {
    for (const [status, text] of [
      [404, 'Session not found'],
      [
        400,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}',
      ],
    ] as const) {
      const held = Promise.withResolvers<void>();
      let calls = 0;
      await using server = await serveHttp(
        legacyMcp({
          call: (_id, response) => {
            if (calls++ === 0) held.resolve();
            else response.writeHead(status).end(text);
          },
        }),
      );
      const wire = createHttpWire(wireTo(server.origin));
      const client = await connected(wire);
      const waiting = rejection(client.callTool(tool));
      await held.promise;
      expect(wire.explain(await rejection(client.callTool(tool)))).toMatchObject({
        code: 'connection-lost',
        data: { status, mayHaveRun: false },
      });
      expect(wire.explain(await waiting)).toMatchObject({ code: 'connection-lost', data: { mayHaveRun: true } });
      await wire.closed;
      await vi.waitFor(() => expect(server.openSockets()).toBe(0));
    }
  });
});

describe('a stream that breaks', () => {
  it('is resumed where the server gave it an id, and the call gets its answer', async () => {
    let broken = 0;
    await using server = await serveHttp(
      legacyMcp({
        call: (id, response) => {
          broken = id;
          openStream(response);
          response.end(`retry: 5\n${event('', 'event-7')}`);
        },
        stream: ({ headers }, response) => {
          openStream(response);
          if (headers['last-event-id'] === 'event-7') response.end(event(textResult(broken, 'resumed'), 'event-8'));
        },
      }),
    );
    const client = await connected(createHttpWire(wireTo(server.origin)));
    expect(textOf(await client.callTool(tool))).toBe('resumed');
    await client.close();
  });

  it('for good is told at once to the call that waits for its answer, and to no other', async () => {
    for (const end of ['politely', 'by breaking off']) {
      await using server = await serveHttp(
        legacyMcp({
          call: (id, response, { body }) => {
            if (body.includes('"fine"')) return sendJson(response, textResult(id, 'called'));
            openStream(response);
            if (end === 'politely') response.end();
            else response.write(': hello\n\n', () => response.destroy());
          },
        }),
      );
      const wire = createHttpWire(wireTo(server.origin));
      const client = await connected(wire);
      const error = await rejection(client.callTool(tool));
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({ code: answerLost });
      expect(wire.explain(error)).toMatchObject({ code: 'connection-lost', data: { mayHaveRun: true } });
      expect(textOf(await client.callTool({ name: 'tool', arguments: { as: 'fine' } }))).toBe('called');
      await client.close();
    }
  });

  it('or is refused, where it is the one that nobody asked for, harms no call', async () => {
    for (const status of [405, 404, 500]) {
      let streams = 0;
      await using server = await serveHttp(
        legacyMcp({
          stream: (_request, response) => {
            streams++;
            response.writeHead(status).end('no stream here');
          },
        }),
      );
      const client = await connected(createHttpWire(wireTo(server.origin)));
      await vi.waitFor(() => expect(streams).toBe(1));
      expect(textOf(await client.callTool(tool))).toBe('called');
      await client.close();
    }
  });
});

describe('the end of a wire', () => {
  it('leaves no socket open, whatever was under way, and comes once', async () => {
    const streams: number[] = [];
    await using server = await serveHttp(
      legacyMcp({
        call: id => void streams.push(id),
        stream: (_request, response) => {
          streams.push(0);
          openStream(response);
        },
      }),
    );
    const wire = createHttpWire(wireTo(server.origin));
    const client = sdkClient();
    let closes = 0;
    client.onclose = () => void closes++;
    await client.connect(wire);
    const call = rejection(client.callTool(tool));
    await vi.waitFor(() => expect(streams).toHaveLength(2));
    expect(server.openSockets()).toBeGreaterThanOrEqual(2);
    await Promise.all([wire.close(), wire.close(), client.close()]);
    await wire.closed;
    expect(wire.explain(await call).code).toBe('connection-lost');
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
    expect(closes).toBe(1);
    await expect(wire.endSession(AbortSignal.timeout(1000))).resolves.toBeUndefined();
  });

  it('leaves nothing that keeps the process alive, even where streams were about to be resumed', async () => {
    await using server = await serveHttp(
      legacyMcp({
        call: (_id, response) => {
          openStream(response);
          response.end(`retry: 3600000\n${event('', 'event-1')}`);
        },
        stream: (_request, response) => {
          openStream(response);
          response.end(event('', 'event-2'));
        },
      }),
    );
    const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      import { createHttpWire } from ${from('./http-wire.ts')};
      import { connected, wireTo } from ${from('../../../test/fixtures/http-client.ts')};
      const client = await connected(createHttpWire(wireTo(process.argv[1])));
      const calls = [1, 2, 3].map(() => client.callTool({ name: 'tool', arguments: {} }).catch(() => 0));
      await new Promise(done => setTimeout(done, 200));
      await client.close();
      await Promise.all(calls);
      console.log('closed');
    `;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, server.origin], {
      timeout: 12_000,
    });
    expect((await run).stdout).toBe('closed\n');
    expect(server.openSockets()).toBe(0);
  });
});

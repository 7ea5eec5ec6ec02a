import { once } from 'node:events';
import { createServer, request as sendHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Connected, connect } from '../../test/fixtures/connecting.ts';
import { rejection } from '../../test/fixtures/http-client.ts';
import { type Arrived, type Handler, serveHttp } from '../../test/fixtures/http-server.ts';
import { processSurroundings } from '../../test/fixtures/process-surroundings.ts';
import { type RemoteSpec, remoteRunner } from '../runners/remote.ts';

const json = { 'content-type': 'application/json' };

type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body: string | Buffer };

/** A 2025 server of one tool; `special` may answer instead, `encode` changes each body. */
function legacy(
  special: (message: ReturnType<typeof JSON.parse>, arrived: Arrived) => Reply | 'hang' | 'close' | undefined = () =>
    undefined,
  encode: (reply: Reply, arrived: Arrived) => Reply = reply => reply,
): Handler {
  const results: Record<string, (message: ReturnType<typeof JSON.parse>) => unknown> = {
    initialize: ({ params }) => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'hi', description: 'x'.repeat(3_000), inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'hello' }] }),
  };
  return (arrived, response) => {
    if (arrived.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(arrived.body);
    const found = special(message, arrived);
    if (found === 'hang') return;
    if (found === 'close') return void response.socket?.destroy();
    const result = results[message.method]?.(message);
    const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
    const plain: Reply =
      found ??
      (message.id === undefined
        ? { status: 202, body: '' }
        : { status: 200, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }) });
    const { status, headers, body } = encode(plain, arrived);
    response.writeHead(status, headers).end(body);
  };
}

function connectTo(url: string, more: Partial<RemoteSpec> = {}, env: Record<string, string> = {}): Promise<Connected> {
  const spec: RemoteSpec = { kind: 'remote', url, transport: 'streamable-http', inferred: true, headers: {}, ...more };
  return connect(request => remoteRunner.open(spec, request), { around: processSurroundings({ env }) });
}

async function says(origin: string, env: Record<string, string> = {}): Promise<unknown> {
  const { connection, call } = await connectTo(`${origin}/mcp`, {}, env);
  const result = await call('hi');
  await connection.close();
  return (result['content'] as { text: string }[])[0]?.text;
}

const text = (status: number, body: string, type = 'text/plain'): Reply => ({
  status,
  headers: { 'content-type': type },
  body,
});

describe('B8: whatever a 2025 server does with server/discover, but for asking to log in, initialize follows', () => {
  it.each<[string, Reply | 'close']>([
    ['404 in words of its own', text(404, 'Invalid session ID')],
    [
      '400 in JSON of its own',
      text(400, '{"error":{"code":"invalid_payload","message":"Unknown method"}}', json['content-type']),
    ],
    [
      '400 with a JSON-RPC error as text',
      text(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}'),
    ],
    ['422', text(422, '{"detail":"unknown"}', json['content-type'])],
    ['500', text(500, 'Internal Server Error')],
    ['501', text(501, '')],
    ['a web page', text(200, '<html>', 'text/html')],
    ['202 without an answer', text(202, '')],
    ['204', { status: 204, body: '' }],
    ['an empty body', text(200, '', json['content-type'])],
    ['a body that is no JSON', text(200, 'what?', json['content-type'])],
    ['the end of the connection', 'close'],
  ])('%s', async (_what, reply) => {
    await using server = await serveHttp(legacy(({ method }) => (method === 'server/discover' ? reply : undefined)));
    expect(await says(server.origin)).toBe('hello');
  });

  it('a login that is asked for is told at once', async () => {
    await using server = await serveHttp(legacy(() => text(401, 'who are you?')));
    expect(await rejection(connectTo(server.origin))).toMatchObject({ code: 'needs-login' });
    expect(server.arrived).toHaveLength(1);
  });
});

describe('B8: a refusal of initialize that names other revisions', () => {
  const older = '2025-06-18';
  it.each<[string, (asked: string) => Reply]>([
    [
      'in a text',
      () => text(400, `Bad Request: Unsupported protocol version (supported versions: ${older}, 2024-11-05)`),
    ],
    [
      "in an error's data",
      () =>
        text(
          400,
          JSON.stringify({
            jsonrpc: '2.0',
            id: null,
            error: {
              code: -32602,
              message: 'Unsupported',
              data: { supported: ['2024-11-05', older], requested: '2025-11-25' },
            },
          }),
          json['content-type'],
        ),
    ],
    [
      'in an error of JSON-RPC with 200',
      () =>
        text(
          200,
          JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32602, message: `Only ${older}` } }),
          json['content-type'],
        ),
    ],
  ])('%s: it is asked once more, for the newest that both speak', async (_form, refusal) => {
    await using server = await serveHttp(
      legacy(message => {
        const { method, params, id } = message;
        if (method !== 'initialize' || params.protocolVersion === older) return undefined;
        const reply = refusal(params.protocolVersion);
        return { ...reply, body: String(reply.body).replace('"id":0', `"id":${id}`) };
      }),
    );
    const { connection } = await connectTo(server.origin);
    expect(connection.protocolVersion).toBe(older);
    await connection.close();
  });
});

describe('B8: what is told where every way fails', () => {
  it.each([
    [400, '{"error":"Missing header X-Api-Key"}', 'Missing header X-Api-Key'],
    [404, '{"error":"workspace acme not found"}', 'workspace acme not found'],
    [400, '{"message":"Give a tenant"}', 'Give a tenant'],
  ])('is what the server said first: HTTP %s %s', async (status, body, words) => {
    await using server = await serveHttp(
      legacy(({ method }) => (method === 'initialize' ? text(status, body, json['content-type']) : undefined)),
    );
    const failure = (await rejection(connectTo(server.origin))) as Error;
    expect(failure.message).toMatch(new RegExp(`^[^:]+:\\d+ answers with HTTP ${status}.*It says: ${words}`));
    expect(failure.message).toContain('405');
    expect(failure.message.split('405')[0]).not.toContain('check the URL');
  });

  it('C4: 403 without a challenge is no login; the words of the server lead', async () => {
    await using server = await serveHttp(
      legacy(() => text(403, '{"error":"Invalid Host: 127.0.0.1"}', json['content-type'])),
    );
    const failure = await rejection(connectTo(server.origin));
    expect(failure).toMatchObject({ code: 'protocol-error', message: expect.stringContaining('Invalid Host') });
    expect(String(failure)).not.toContain('Log in');
  });

  it('C4: 403 with a challenge is a login', async () => {
    const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' };
    await using server = await serveHttp(legacy(() => ({ status: 403, headers: challenge, body: '' })));
    expect(await rejection(connectTo(server.origin))).toMatchObject({ code: 'needs-login' });
  });
});

it('B8: a server that refuses the notification after the handshake is spoken to all the same', async () => {
  await using server = await serveHttp(legacy(({ id }) => (id === undefined ? text(400, 'what?') : undefined)));
  expect(await says(server.origin)).toBe('hello');
});

describe('B2: an encoding that nobody asked for', () => {
  it.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', body => gzipSync(body)],
    ['br', body => brotliCompressSync(body)],
    ['zstd', body => zstdCompressSync(body)],
    ['deflate', body => deflateSync(body)],
    ['deflate', body => deflateRawSync(body)],
    ['gzip, br', body => brotliCompressSync(gzipSync(body))],
    ['X-GZIP', body => gzipSync(body)],
  ])('%s is undone, in answers, streams and refusals', async (encoding, encode) => {
    for (const streams of [false, true]) {
      await using server = await serveHttp(
        legacy(
          () => undefined,
          ({ status, headers, body }) => {
            const streamed = streams && body.length > 0;
            const plain = Buffer.from(streamed ? `data: ${String(body)}\n\n` : body);
            const type = streamed ? 'text/event-stream' : headers?.['content-type'];
            return {
              status,
              headers: { ...(type && { 'content-type': type }), 'content-encoding': encoding },
              body: encode(plain),
            };
          },
        ),
      );
      expect(await says(server.origin)).toBe('hello');
      expect(server.arrived[0]?.headers['accept-encoding']).toBe('identity');
    }
  });

  it('that nobody knows is named', async () => {
    await using server = await serveHttp(
      legacy(
        () => undefined,
        reply => ({ ...reply, headers: { ...reply.headers, 'content-encoding': 'lzma' } }),
      ),
    );
    expect(String(await rejection(connectTo(server.origin)))).toContain('"lzma"');
  });
});

describe('B7: a proxy', () => {
  /** A forward proxy that knows a host which no resolver does. */
  async function proxy(target: string) {
    const seen: string[] = [];
    const { port } = new URL(target);
    const server = createServer((asked, answer) => {
      seen.push(`${asked.method} ${asked.url}`);
      const { pathname } = new URL(asked.url ?? '');
      const onward = sendHttp({
        host: '127.0.0.1',
        port,
        path: pathname,
        method: asked.method,
        headers: asked.headers,
      });
      onward.on('response', reply => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      });
      asked.pipe(onward);
    }).on('connect', (asked, socket) => {
      seen.push(`CONNECT ${asked.url}`);
      const onward = connectTcp(Number(port), '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
      socket.write('HTTP/1.1 403 Forbidden\r\n\r\n');
      socket.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      origin,
      seen,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
      },
    };
  }

  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('that %s names carries requests to other hosts', async name => {
    await using server = await serveHttp(legacy());
    await using through = await proxy(server.origin);
    expect(await says('http://mcp.internal', { [name]: through.origin })).toBe('hello');
    expect(through.seen.every(line => line.startsWith('POST http://mcp.internal/mcp') || line.startsWith('GET'))).toBe(
      true,
    );
  });

  it('is never used for this machine, nor for what NO_PROXY lists', async () => {
    await using server = await serveHttp(legacy());
    await using through = await proxy(server.origin);
    expect(await says(server.origin, { HTTP_PROXY: through.origin })).toBe('hello');
    const failure = await rejection(says('http://mcp.internal', { HTTP_PROXY: through.origin, NO_PROXY: '.internal' }));
    expect(String(failure)).not.toContain('proxy');
    expect(through.seen).toEqual([]);
  });

  it('that is away, or refuses, is named, without its password', async () => {
    const away = await rejection(says('http://mcp.internal', { HTTP_PROXY: 'http://user:canary@127.0.0.1:9' }));
    expect(away).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('proxy 127.0.0.1:9 (HTTP_PROXY)'),
    });
    expect(String(away)).not.toContain('canary');
    await using server = await serveHttp(legacy());
    await using through = await proxy(server.origin);
    const refused = await rejection(says('https://mcp.internal', { HTTPS_PROXY: through.origin }));
    expect(refused).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/proxy .*HTTPS_PROXY.*HTTP 403/),
    });
    expect(through.seen.length).toBeGreaterThan(0);
  });
});

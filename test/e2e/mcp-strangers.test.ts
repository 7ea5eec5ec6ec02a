import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernHeaders, modernParams, post, rawLegacy, rawModern } from '../fixtures/raw-mcp.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually } from './run-longshore.ts';

const long = 120_000;

let home: McpHome;
let token: string;
let url: string;

beforeAll(async () => {
  home = await mcpHome();
  await home.save('fixture', stdioFixture('matrix-stdio'));
  await home.allow('*');
  ({ token } = await home.caller('stranger'));
  url = `${home.origin}/mcp`;
});
afterAll(() => home?.[Symbol.asyncDispose]());

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${token}` });
const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams() };

/** One request as it is, with headers that fetch would not let pass. */
async function rough(
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }> {
  const asking = request(url, { method, headers, ...(headers['host'] !== undefined && { setHost: false }) });
  // Whoever goes on sending after the answer is hung up on.
  asking.on('error', () => undefined);
  const answered = new Promise<IncomingMessage>(resolve => asking.on('response', resolve));
  asking.end(body);
  const answer = await answered;
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode ?? 0, text, headers: answer.headers };
}

describe('who may come in', () => {
  it.each([
    ['no token', {}],
    ['an unknown token', { authorization: 'Bearer nobody' }],
    ['something that is no token', { authorization: 'Basic bm9ib2R5Og==' }],
  ])('%s is answered 401, with the way to authenticate', async (_what, headers) => {
    const { status, headers: answered } = await post(url, ping, headers);
    expect(status).toBe(401);
    expect(answered.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each([
    ['for another host', { host: 'evil.example.com' }],
    ['from a page of elsewhere', { origin: 'http://evil.example.com' }],
    ['from a page of this machine on another port', { origin: 'http://127.0.0.1:1' }],
  ])('a request %s is refused, with whatever token', async (_what, headers) => {
    const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const all = { ...own, ...modernHeaders(token, 'tools/list', {}), host: new URL(url).host, ...headers };
    const { status } = await rough('POST', all, JSON.stringify(ping));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('a revoked token ends its sessions', async () => {
    const leaving = await home.caller(`leaving-${randomUUID().slice(0, 8)}`);
    const session = await rawLegacy(url, leaving.token);
    expect(await session.request('tools/list')).toHaveProperty('result');
    await home.rest('DELETE', `/api/tokens/${leaving.name}`);
    expect((await post(url, ping, session.headers)).status).toBe(401);
  });
});

describe('what is not a request', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', '{"jsonrpc":'],
    ['no object', '42'],
    ['null', 'null'],
    ['an empty batch', '[]'],
    ['no JSON-RPC', '{"hello":1}'],
    ['another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}'],
    [
      'very deep',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    ],
    ['binary', '\u0000\u0001\ufffd'],
  ])('%s is answered with a client error and an error of JSON-RPC', async (_what, body) => {
    const { status, frames } = await post(url, body, bearer());
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(frames).toMatchObject([
      { jsonrpc: '2.0', error: { code: expect.any(Number), message: expect.any(String) } },
    ]);
  });

  it.each([
    ['a name that is a number', { name: 5 }],
    ['no name', {}],
    ['arguments that are a text', { name: 'fixture__echo', arguments: 'no' }],
    ['arguments that are a list', { name: 'fixture__echo', arguments: ['a'] }],
    ['a name that JavaScript knows', { name: '__proto__' }],
  ])('a call with %s is refused as bad params, in both eras', async (_what, params) => {
    await using session = await rawLegacy(url, token);
    for (const client of [session, rawModern(url, token)]) {
      expect(await client.request('tools/call', params)).toMatchObject({ error: { code: -32_602 } });
    }
  });

  it('a body that is too large is answered 413, and the service goes on', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'x'.repeat(40 * 1024 * 1024)}"}}`;
    expect((await rough('POST', bearer(), body)).status).toBe(413);
    expect(await rawModern(url, token).request('tools/list')).toHaveProperty('result');
  });

  it('other methods of HTTP are answered 405', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const { status, headers } = await rough(method, bearer());
      expect([method, status]).toEqual([method, 405]);
      expect(headers['allow']).toContain('POST');
    }
  });
});

describe('sessions', () => {
  it('one that nobody knows is answered 404, and none at all 400', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(url, list, { ...bearer(), 'mcp-session-id': 'nobody' })).status).toBe(404);
    expect((await post(url, list, bearer())).status).toBe(400);
    const stream = { ...bearer(), accept: 'text/event-stream' };
    expect((await rough('GET', stream)).status).toBeGreaterThanOrEqual(400);
    expect((await rough('GET', { ...stream, 'mcp-session-id': 'nobody' })).status).toBe(404);
    expect((await rough('DELETE', { ...bearer(), 'mcp-session-id': 'nobody' })).status).toBe(404);
  });

  it('one of another caller is as good as none', async () => {
    await using session = await rawLegacy(url, token);
    const other = await home.caller(`other-${randomUUID().slice(0, 8)}`);
    const headers = { ...session.headers, authorization: `Bearer ${other.token}` };
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).status).toBe(404);
    expect(await session.request('tools/list')).toHaveProperty('result');
  });

  it('ends with DELETE, and what runs in it is cancelled', async () => {
    const session = await rawLegacy(url, token);
    const id = randomUUID();
    const hanging = session.request('tools/call', { name: 'fixture__hang', arguments: { id } }).catch(() => undefined);
    await new Promise(resolve => setTimeout(resolve, 500));
    await session[Symbol.asyncDispose]();
    await hanging;
    const { status } = await post(url, { jsonrpc: '2.0', id: 9, method: 'tools/list' }, session.headers);
    expect(status).toBe(404);
    expect(await wasCancelled(id)).toBe(true);
  });

  it(
    'a thousand that are opened and left take nothing from others',
    async () => {
      const crowd = await home.caller(`crowd-${randomUUID().slice(0, 8)}`);
      await using mine = await rawLegacy(url, token);
      for (let round = 0; round < 20; round++) {
        await Promise.all(Array.from({ length: 50 }, () => rawLegacy(url, crowd.token)));
      }
      expect(await mine.request('tools/list')).toHaveProperty('result');
      await using late = await rawLegacy(url, crowd.token);
      expect(await late.request('tools/list')).toHaveProperty('result');
    },
    long,
  );
});

async function wasCancelled(id: string): Promise<boolean> {
  const client = rawModern(url, token);
  return eventually(async () => {
    const { result } = await client.request('tools/call', { name: 'fixture__cancelled', arguments: {} });
    return result.content[0].text.includes(id);
  }, 15_000);
}

describe('a client that is not polite', () => {
  it('hangs up in the middle of a call: the call is cancelled at its server', async () => {
    const id = randomUUID();
    const leaving = new AbortController();
    const params = { name: 'fixture__hang', arguments: { id } };
    const frame = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params) };
    const call = post(url, frame, modernHeaders(token, 'tools/call', params), leaving.signal).catch(() => undefined);
    await new Promise(resolve => setTimeout(resolve, 500));
    leaving.abort();
    await call;
    expect(await wasCancelled(id)).toBe(true);
  });

  it('hangs up in the middle of its own body: others are served', async () => {
    const { hostname, port } = new URL(url);
    for (let round = 0; round < 20; round++) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000\r\n\r\n{"jsonrpc"`,
      );
      socket.destroy();
    }
    expect(await rawModern(url, token).request('tools/list')).toHaveProperty('result');
  });

  it(
    'reads slowly what is large: others are served meanwhile, and it gets all of it',
    async () => {
      const bytes = 8 * 1024 * 1024;
      const params = { name: 'fixture__big', arguments: { bytes } };
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...modernHeaders(token, 'tools/call', params),
      };
      const asking = request(url, { method: 'POST', headers });
      asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params) }));
      const [answer] = await once(asking, 'response');
      answer.pause();
      for (let round = 0; round < 20; round++) {
        const other = await rawModern(url, token).request('tools/call', {
          name: 'fixture__echo',
          arguments: { text: 'ahoy' },
        });
        expect(other).toMatchObject({ result: { content: [{ text: 'ahoy' }] } });
      }
      let read = 0;
      for await (const chunk of answer) read += chunk.length;
      expect(read).toBeGreaterThan(bytes);
    },
    long,
  );
});

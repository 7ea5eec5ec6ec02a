import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, post, type RawSession, rawLegacy, rawModern } from '../fixtures/raw-mcp.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';

const codes = [-32_700, -32_600, -32_601, -32_602, -32_603, -32_002, -32_020, -32_021, -32_022, -32_000, -1, 7];

describe('an answer at /mcp', () => {
  let world: McpHome;
  let url = '';
  let token = '';
  let session: RawSession;
  beforeAll(async () => {
    world = await mcpHome();
    url = `${world.origin}/mcp`;
    await world.save('odd', stdioFixture('error-codes'));
    await world.allow('odd.*');
    token = (await world.caller('raw')).token;
    session = await rawLegacy(url, token);
  }, 60_000);
  afterAll(() => world[Symbol.asyncDispose]());

  const inSession = (body: unknown) => post(url, body, session.headers);
  const call = (id: unknown, name: string, n: number): Json => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: `odd__${name}`, arguments: { n } },
  });

  it('in a 2025 session is 200 whatever a server says, so that no client ends its session with all servers', {
    timeout: 60_000,
  }, async () => {
    for (const code of codes) {
      const { status, frames } = await inSession(call(code, 'code', code));
      expect([code, status, frames[0].id]).toEqual([code, 200, code]);
      expect(frames[0].error.message).toContain(`failed with ${code}`);
    }
    const unknown = await inSession({ jsonrpc: '2.0', id: 'x', method: 'no/such' });
    expect([unknown.status, unknown.frames[0].error.code, unknown.frames[0].id]).toEqual([200, -32_601, 'x']);
    expect((await inSession({ jsonrpc: '2.0', id: 1, method: 'ping' })).frames[0].result).toEqual({});
  });

  it('to a 2026 client has another status than 200 for our own verdict alone', { timeout: 60_000 }, async () => {
    const ask = async (method: string, params: Json) => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      return await post(
        url,
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
        {
          authorization: `Bearer ${token}`,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(params.name && { 'mcp-name': params.name }),
        },
      );
    };
    for (const n of codes) {
      const { status } = await ask('tools/call', { name: 'odd__code', arguments: { n } });
      // A missing capability is one of this very client, which the server was told of.
      expect([n, status]).toEqual([n, n === -32_021 ? 400 : 200]);
    }
    expect((await ask('no/such', {})).status).toBe(404);
  });

  it('echoes the id that could be read, and takes null and an empty list for no params', {
    timeout: 60_000,
  }, async () => {
    for (const params of [null, [], undefined]) {
      const { status, frames } = await inSession({ jsonrpc: '2.0', id: 'p', method: 'ping', params });
      expect([status, frames[0].id, frames[0].result]).toEqual([200, 'p', {}]);
    }
    for (const [body, id] of [
      [{ jsonrpc: '2.0', id: 'a', method: 'ping', params: 'text' }, 'a'],
      [{ jsonrpc: '2.0', id: 5, method: 'ping', params: [1] }, 5],
      [{ jsonrpc: '1.0', id: 'b', method: 'ping' }, 'b'],
      [{ jsonrpc: '2.0', id: 'c', method: 7 }, 'c'],
      [{ jsonrpc: '2.0', id: {}, method: 'ping' }, null],
      ['{"jsonrpc"', null],
    ] as const) {
      const { status, frames } = await inSession(body);
      expect([JSON.stringify(body), status >= 200 && status < 500, frames[0].id, 'error' in frames[0]]).toEqual([
        JSON.stringify(body),
        true,
        id,
        true,
      ]);
    }
    const none = await inSession({ ...call(1, 'code', 0), params: { name: 'odd__deep', arguments: null } });
    expect(none.frames[0].result.structuredContent).toEqual({ deepest: true });
  });

  it('is one list for a batch of 2025-03-26, and for no other revision', { timeout: 60_000 }, async () => {
    const authorization = `Bearer ${token}`;
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const hello = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, { authorization });
    expect(hello.frames[0].result.protocolVersion).toBe('2025-03-26');
    const headers = { authorization, 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
    const messages = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      call('two', 'code', -32_600),
      { jsonrpc: '2.0', id: 3, method: 'no/such' },
      5,
    ];
    const { status, frames } = await post(url, messages, headers);
    expect(status).toBe(200);
    const answers = frames.flat() as Json[];
    expect(answers.map(one => [one.id, one.error?.code ?? 'result'])).toEqual([
      [1, 'result'],
      ['two', -32_600],
      [3, -32_601],
      [null, -32_600],
    ]);
    expect((await post(url, messages.slice(0, 1), headers)).status).toBeLessThan(300);
    expect((await inSession(messages)).frames[0].error.code).toBe(-32_600);
    expect((await post(url, [], headers)).frames[0].error.code).toBe(-32_600);
  });

  it('is never sent to a 2025 client for a call that it cancelled', { timeout: 60_000 }, async () => {
    const answered = inSession(call('gone', 'wait', 0));
    await sleep(300);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } };
    expect((await inSession(cancel)).status).toBe(202);
    expect((await answered).frames).toEqual([]);
  });

  it('without a good token is an error that clients read, with a challenge and the way to a token (RFC 6750)', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const without = await post(url, message);
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="longshore"']);
    const wrong = await post(url, message, { authorization: 'Bearer lsc_wrong' });
    expect(wrong.headers.get('www-authenticate')).toMatch(/error="invalid_token", error_description="[^"]+"$/);
    for (const { frames } of [without, wrong]) {
      expect(frames[0]).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code: 'not-signed-in' } } });
      expect(frames[0].error.message).toContain('longshore token create NAME');
      expect(frames[0].error.message).not.toContain('operator.token');
    }
    for (const path of [
      '/register',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
    ]) {
      const { status, frames } = await post(`${world.origin}${path}`, {});
      expect([path, status, frames[0].detail]).toEqual([
        path,
        404,
        expect.stringContaining('longshore token create NAME'),
      ]);
    }
  });

  it('that blames Longshore itself always has its cause in the log, under the same dispatch', {
    timeout: 60_000,
  }, async () => {
    await using modern = rawModern(url, token);
    const log = () => readFileSync(join(world.home.folder, 'logs', 'longshore.log'), 'utf8');
    for (const depth of [500, 5_000, 20_000]) {
      const before = log().split('"level":50').length;
      const answer = await modern.request('tools/call', { name: 'odd__deep', arguments: { n: depth } });
      const failure = answer.result?._meta?.['longshore/failure'] ?? answer.error?.data;
      const isLogged = log().split('"level":50').length > before;
      expect([depth, failure?.code !== 'internal' || isLogged]).toEqual([depth, true]);
      expect(answer.id).toBeDefined();
    }
  });
});

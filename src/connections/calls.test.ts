import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectTo } from '../../test/fixtures/connecting.ts';
import { type Asked, Refusal, type Script, scriptedServer, silent } from '../../test/fixtures/scripted-server.ts';
import { createAuthority } from '../core/authorisation.ts';
import { LongshoreError } from '../core/errors.ts';
import { agentId, type Epoch } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Progress } from '../core/words.ts';

const eras: readonly (readonly [string, Script])[] = [
  ['modern', {}],
  ['legacy', { modern: [] }],
];

const calls = (server: { readonly received: readonly Asked[] }): readonly Asked[] =>
  server.received.filter(asked => asked.method === 'tools/call');

/** A call's frame is on the wire. */
const written = (): Promise<void> => new Promise(setImmediate);

describe.each(eras)('a call on a %s server', (_era, era) => {
  it('R40: hands its frame to the wire before anything but microtasks ran', async () => {
    const server = scriptedServer({ ...era, handlers: { 'tools/call': () => silent } });
    const { call, connection } = await connectTo(server);
    const order: string[] = [];
    const send = server.wire.send;
    server.wire.send = (frame, options) => {
      order.push('written');
      return send(frame, options);
    };
    setImmediate(() => order.push('macrotask'));
    setTimeout(() => order.push('macrotask'));
    process.nextTick(() => order.push('tick'));
    const result = call('x');
    await new Promise(resolve => setTimeout(resolve, 5));
    expect(order.indexOf('written')).toBeLessThan(order.indexOf('macrotask'));
    await connection.close();
    await expect(result).rejects.toBeInstanceOf(LongshoreError);
  });

  it.each<[string, JsonObject]>([
    ['an isError result', { content: [{ type: 'text', text: 'no' }], isError: true }],
    ['content of an unknown type', { content: [{ type: 'hologram', depth: 3 }], own: [{ deep: 1 }] }],
    ['structured content that does not fit its output schema', { content: [], structuredContent: [null, 'x'] }],
    ['no content at all', { structuredContent: null }],
    ['meta data', { content: [], _meta: { 'example.test/own': { a: 1 } } }],
  ])('gives %s back verbatim', async (_what, result) => {
    const handlers = { 'tools/call': () => ({ resultType: 'complete', ...result }) };
    const { call, connection } = await connectTo(scriptedServer({ ...era, handlers }));
    const outputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const definition = { name: 'x', inputSchema: { type: 'object' }, outputSchema };
    expect(await call('x', {}, { definition })).toMatchObject(result);
    await connection.close();
  });

  it('sends a call whose output schema nobody could compile', async () => {
    const { call, connection } = await connectTo(scriptedServer(era));
    const outputSchema = { $schema: 'http://json-schema.org/draft-04/schema#', $ref: 'https://example.test/x' };
    const definition = { name: 'x', inputSchema: { type: 'object' }, outputSchema };
    await expect(call('x', {}, { definition })).resolves.toMatchObject({ content: [{ text: 'x' }] });
    await connection.close();
  });

  it('sends name, arguments and the meta data of the caller, but not what is ours to say', async () => {
    const server = scriptedServer(era);
    const { call, connection } = await connectTo(server);
    const meta = {
      traceparent: '00-1',
      'example.test/own': 1,
      progressToken: 'theirs',
      'io.modelcontextprotocol/protocolVersion': '1999-01-01',
      'mcp.dev/own': 1,
    };
    await call('x', { a: [1, { b: null }] }, { meta });
    const [sent] = calls(server);
    expect(sent?.params).toMatchObject({ name: 'x', arguments: { a: [1, { b: null }] } });
    expect(sent?.params._meta).toMatchObject({ traceparent: '00-1', 'example.test/own': 1 });
    expect(sent?.params._meta?.progressToken).toEqual(expect.any(Number));
    expect(sent?.params._meta?.['io.modelcontextprotocol/protocolVersion']).not.toBe('1999-01-01');
    expect(sent?.params._meta).not.toHaveProperty(['mcp.dev/own']);
    await connection.close();
  });

  it('reads resources and gets prompts in the same way', async () => {
    const contents = [{ uri: 'a:1', text: 't', own: 1 }];
    const messages = [{ role: 'user', content: { type: 'own' } }];
    const server = scriptedServer({
      ...era,
      capabilities: { resources: {}, prompts: {} },
      handlers: {
        'resources/list': () => ({ resources: [] }),
        'prompts/list': () => ({ prompts: [] }),
        'resources/read': () => ({ contents }),
        'prompts/get': () => ({ messages, own: true }),
      },
    });
    const { call, connection } = await connectTo(server);
    expect(await call('a:1', {}, { method: 'resources/read' })).toMatchObject({ contents });
    expect(await call('p', { x: 'y' }, { method: 'prompts/get' })).toMatchObject({ messages, own: true });
    expect(server.received.at(-2)?.params).toMatchObject({ uri: 'a:1' });
    expect(server.received.at(-1)?.params).toMatchObject({ name: 'p', arguments: { x: 'y' } });
    await connection.close();
  });

  it.each([
    [-32_602, 'Unknown tool', { why: { deep: 1 } }],
    [-32_020, 'header mismatch', { mismatch: {} }],
    [-32_021, 'missing capability', { requiredCapabilities: { sampling: {} } }],
    [-32_042, 'look there', { elicitations: 'not even a list' }],
    [1, 'own', undefined],
  ])('tells a JSON-RPC error %d verbatim, and sends nothing again', async (code, message, data) => {
    const handlers = {
      'tools/call': () => {
        throw new Refusal(code, message, data);
      },
    };
    const server = scriptedServer({ ...era, handlers });
    const { call, connection } = await connectTo(server);
    await expect(call('x')).rejects.toMatchObject({
      code: 'server-error',
      message: `The server refused tools/call: ${message}`,
      data: { code, message, ...(data && { data }) },
    });
    expect(calls(server)).toHaveLength(1);
    await connection.close();
  });

  it('tells every progress as it came, even right before the result', async () => {
    const heard: Progress[] = [];
    const server = scriptedServer({
      ...era,
      handlers: {
        'tools/call': (_params, { params }) => {
          const progressToken = params._meta?.progressToken;
          for (const progress of [1, 2, 3]) {
            server.say({ method: 'notifications/progress', params: { progressToken, progress, total: 3, own: 'x' } });
          }
          return { content: [] };
        },
      },
    });
    const { call, connection } = await connectTo(server);
    await call('x', {}, { onprogress: progress => heard.push(progress) });
    expect(heard).toEqual([1, 2, 3].map(progress => ({ progress, total: 3, own: 'x' })));
    await connection.close();
  });

  it('is cancelled by its caller, and tells the server so', async () => {
    const server = scriptedServer({ ...era, handlers: { 'tools/call': () => silent } });
    const { call, connection } = await connectTo(server);
    const caller = new AbortController();
    const result = call('x', {}, { signal: caller.signal });
    await written();
    caller.abort();
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.received.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: calls(server)[0]?.id },
    });
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    await connection.close();
  });

  it('is not sent at all where its caller gave up before', async () => {
    const server = scriptedServer(era);
    const { call, connection } = await connectTo(server);
    await expect(call('x', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    await written();
    expect(calls(server)).toEqual([]);
    await connection.close();
  });

  it('leaves no listener on the signal of a caller who makes many calls', async () => {
    const { call, connection } = await connectTo(scriptedServer(era));
    const caller = new AbortController();
    for (let count = 0; count < 30; count++) await call('x', {}, { signal: caller.signal });
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    await connection.close();
  });

  it('ends with unknown-outcome and how the server went, when it goes after the call was sent', async () => {
    const server = scriptedServer({ ...era, handlers: { 'tools/call': () => silent } });
    const { call, connection } = await connectTo(server);
    const result = call('x');
    await written();
    server.exit({ how: 'signalled', signal: 'SIGSEGV' });
    await expect(result).rejects.toMatchObject({ code: 'unknown-outcome' });
    await expect(connection.ended).resolves.toEqual({ reason: 'The server was ended by SIGSEGV.' });
    expect(calls(server)).toHaveLength(1);
  });

  it('fails with connection-lost, and sends nothing, on a server that is gone', async () => {
    const server = scriptedServer(era);
    const { call, connection } = await connectTo(server);
    server.exit({ how: 'exited', code: 0 });
    await connection.ended;
    await expect(call('x')).rejects.toMatchObject({ code: 'connection-lost' });
    expect(calls(server)).toEqual([]);
  });

  it('fails with connection-lost where the wire turns out to be closed before the frame is written', async () => {
    const server = scriptedServer(era);
    const { call, connection } = await connectTo(server);
    const result = call('x');
    server.exit({ how: 'exited', code: 0 });
    await expect(result).rejects.toMatchObject({ code: 'connection-lost' });
    expect(calls(server)).toEqual([]);
    await connection.close();
  });

  it('fails at once where the answer is no result', async () => {
    const server = scriptedServer({ ...era, handlers: { 'tools/call': () => silent } });
    const { call, connection } = await connectTo(server);
    const result = call('x');
    await written();
    server.say({ id: calls(server)[0]?.id, result: 'text' });
    await expect(result).rejects.toMatchObject({ code: 'protocol-error' });
    await connection.close();
  });

  it('takes the codes that our own wires give in place of an answer for what they mean', async () => {
    const codes = { big: -32_010, lost: -32_011 } as Record<string, number>;
    const handlers = {
      'tools/call': ({ name }: Asked['params']) => {
        throw new Refusal(codes[String(name)] ?? 0, 'said by the wire');
      },
    };
    const { call, connection } = await connectTo(scriptedServer({ ...era, handlers }));
    await expect(call('big')).rejects.toMatchObject({ code: 'result-too-large', message: 'said by the wire' });
    await expect(call('lost')).rejects.toMatchObject({ code: 'unknown-outcome' });
    await connection.close();
  });
});

describe('the authorisation of a call', () => {
  it('R40: is refused for another epoch or another agent, and nothing is sent', async () => {
    const server = scriptedServer();
    const { call, connection } = await connectTo(server);
    await expect(call('x', {}, { epoch: 'other' as Epoch })).rejects.toMatchObject({ code: 'stale-handle' });
    await expect(call('x', {}, { agentId: agentId('did:key:zOther') })).rejects.toMatchObject({ code: 'stale-handle' });
    await written();
    expect(calls(server)).toEqual([]);
    await connection.close();
  });

  it('works once, and only from the authority of this host', async () => {
    const server = scriptedServer();
    const { mint, connection } = await connectTo(server);
    const operation = {
      agentId: connection.agentId,
      caller: 'library' as const,
      epoch: connection.epoch,
      method: 'tools/call' as const,
      wireName: 'x',
      arguments: {},
      definition: { name: 'x', inputSchema: { type: 'object' } },
    };
    const authorisation = mint(operation);
    await connection.call(authorisation);
    await expect(connection.call(authorisation)).rejects.toMatchObject({ code: 'forged-authorisation' });
    await expect(connection.call(createAuthority().mint(operation))).rejects.toMatchObject({
      code: 'forged-authorisation',
    });
    expect(calls(server)).toHaveLength(1);
    await connection.close();
  });
});

describe.each(eras)('the limits of a call on a %s server', (_era, era) => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  async function slow(limits: { idleTimeout?: number; totalTimeout?: number } = {}) {
    const server = scriptedServer({ ...era, handlers: { 'tools/call': () => silent } });
    const { call, connection } = await connectTo(server);
    const failed = vi.fn<(error: unknown) => void>();
    const result = call('x', {}, limits).catch((error: unknown) => failed(error));
    await vi.advanceTimersByTimeAsync(0);
    const [sent] = calls(server);
    const progress = (): void =>
      server.say({
        method: 'notifications/progress',
        params: { progressToken: sent?.params._meta?.progressToken, progress: 1 },
      });
    return { server, connection, failed, result, progress, sent };
  }

  it('the idle limit (60 s) fires without progress, says so, and cancels at the server', async () => {
    const { server, failed, sent, connection } = await slow();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed.mock.calls[0]?.[0]).toMatchObject({
      code: 'timeout',
      message: 'The call showed no progress for 60 s (its idle limit) and was cancelled.',
      data: { limit: 'idle', after: 60_000 },
    });
    expect(server.received.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: sent?.id, reason: 'No progress for 60000 ms.' },
    });
    await connection.close();
  });

  it('progress holds the idle limit off even where nobody listens to it, until the total limit (15 min)', async () => {
    const { failed, progress, connection } = await slow();
    for (let minute = 0; minute < 15; minute++) {
      for (const seconds of [0, 30]) {
        expect([minute, seconds, failed.mock.calls.length]).toEqual([minute, seconds, 0]);
        await vi.advanceTimersByTimeAsync(30_000);
        progress();
      }
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(failed.mock.calls[0]?.[0]).toMatchObject({
      code: 'timeout',
      message: 'The call was not done after 900 s (its total limit) and was cancelled.',
      data: { limit: 'total', after: 900_000 },
    });
    await connection.close();
  });

  it('takes the limits of the call before those of the server', async () => {
    const { failed, connection } = await slow({ idleTimeout: 100, totalTimeout: 50 });
    await vi.advanceTimersByTimeAsync(50);
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ data: { limit: 'total', after: 50 } });
    await connection.close();
  });

  it('leaves no timer behind when the call is over', async () => {
    const { server, sent, result, connection, failed } = await slow();
    const before = vi.getTimerCount();
    server.say({ id: sent?.id, result: { resultType: 'complete', content: [] } });
    await result;
    expect(failed).not.toHaveBeenCalled();
    // Two of ours and the SDK's own.
    expect(before - vi.getTimerCount()).toBe(3);
    await connection.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

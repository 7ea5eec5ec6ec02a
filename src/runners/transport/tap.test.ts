import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  Refusal,
  type Script,
  type ScriptedServer,
  scriptedServer,
  silent,
} from '../../../test/fixtures/scripted-server.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Progress } from '../../core/words.ts';
import { createTap, type Tap, type TapOptions } from './tap.ts';

interface Tapped {
  readonly server: ScriptedServer;
  readonly tap: Tap;
  readonly client: Client;
  readonly faults: Error[];
  closed: number;
}

async function tapped(script: Script = {}, options: Partial<TapOptions> = {}): Promise<Tapped> {
  const server = scriptedServer(script);
  const faults: Error[] = [];
  const tap = createTap(server.wire, {
    onClosed: () => {
      result.closed++;
    },
    onFault: fault => faults.push(fault),
    ...options,
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  client.onerror = fault => faults.push(fault);
  const result: Tapped = { server, tap, client, faults, closed: 0 };
  await client.connect(tap, options.initialize === undefined ? {} : { prior: { kind: 'legacy' } });
  return result;
}

const eras: readonly (readonly [string, Script])[] = [
  ['modern', {}],
  ['legacy', { modern: [] }],
];

/** A call's frame is on the wire. */
const written = (): Promise<void> => new Promise(setImmediate);

/** Results that the SDK would reject or cut, and one it would not. */
const odd: JsonObject = {
  tools: [
    { name: 'good', inputSchema: { type: 'object', $schema: 'x', 'x-own': 1 }, execution: { a: 1 }, unknown: [null] },
    { name: 'no schema' },
    { name: 'null', description: null, inputSchema: { type: 'object' } },
    'not even an object',
  ],
  resources: [{ nothing: true }],
  prompts: [null],
  content: [{ type: 'hologram', depth: 3 }, { type: 'text' }],
  contents: 'none',
  messages: { no: 'list' },
  structuredContent: [1, 2, null],
  isError: 'perhaps',
  _meta: { a: { b: 1 } },
  somethingNew: { deep: [true] },
};

const requests = [
  ['tools/list', {}],
  ['resources/list', {}],
  ['prompts/list', {}],
  ['tools/call', { name: 'x', arguments: {} }],
  ['resources/read', { uri: 'a:b' }],
  ['prompts/get', { name: 'x' }],
] as const;

describe.each(eras)('a request of a %s server that nobody answers (Q3)', (_era, script) => {
  it.each([
    ['ping', { result: {} }],
    ['roots/list', { error: { code: -32_601, message: 'Method not found' } }],
    ['foo/bar', { error: { code: -32_601, message: 'Method not found' } }],
  ])('%s is answered at once', async (method, answer) => {
    const refused: string[] = [];
    const { server } = await tapped(script, { onRefused: name => refused.push(name) });
    server.say({ id: 'q', method, params: null });
    await written();
    expect(server.answers.get('q')).toMatchObject(answer);
    expect(refused).toEqual(method === 'ping' ? [] : [method]);
  });
});

describe.each(eras)('the tap between the SDK and a %s server', (_era, script) => {
  it.each(requests)(
    'keeps a result of %s exactly as it came, though the SDK would reject it',
    async (method, params) => {
      const { client, tap, server } = await tapped({ ...script, handlers: { [method]: () => odd } });
      using exchange = tap.follow();
      await client.request({ method, params: { ...params, _meta: exchange.meta } });
      expect(exchange.answer).toMatchObject({ kind: 'result', result: odd });
      expect(server.received.at(-1)?.params).not.toHaveProperty('_meta.exchange');
      await client.close();
    },
  );

  it('takes its token out again, and leaves what the caller and the SDK put into _meta', async () => {
    const { client, tap, server } = await tapped(script);
    using exchange = tap.follow();
    const _meta = { traceparent: '00-1', ...exchange.meta };
    await client.callTool({ name: 'x', _meta }, { onprogress: () => {} });
    const sent = server.received.at(-1)?.params._meta;
    expect(sent).toMatchObject({ traceparent: '00-1', progressToken: expect.any(Number) });
    const own = Object.keys(sent ?? {}).filter(key => !key.startsWith('io.modelcontextprotocol/'));
    expect(own).toEqual(['traceparent', 'progressToken']);
    await client.close();
  });

  it('leaves no empty _meta behind on a wire that has none', async () => {
    const { client, tap, server } = await tapped({ ...script, modern: [] });
    using exchange = tap.follow();
    await client.request({ method: 'tools/list', params: { _meta: exchange.meta } });
    expect(server.received.at(-1)?.params).toEqual({});
    await client.close();
  });

  it('keeps a JSON-RPC error exactly as it came', async () => {
    const data = { deep: { unknown: true } };
    const { client, tap } = await tapped({
      ...script,
      handlers: {
        'tools/call': () => {
          throw new Refusal(-32_042, 'odd', data);
        },
      },
    });
    using exchange = tap.follow();
    await expect(client.callTool({ name: 'x', _meta: exchange.meta })).rejects.toThrow('kept by the tap');
    expect(exchange.answer).toEqual({ kind: 'error', error: { code: -32_042, message: 'odd', data } });
    await client.close();
  });

  it.each([[null], [[1]], ['text'], [7]])('ends a request whose result is %j at once, as malformed', async result => {
    const { client, tap, server } = await tapped({ ...script, handlers: { 'tools/call': () => silent } });
    using exchange = tap.follow();
    const call = client.callTool({ name: 'x', _meta: exchange.meta });
    await written();
    server.say({ id: server.received.at(-1)?.id, result });
    await expect(call).rejects.toThrow('kept by the tap');
    expect(exchange.answer).toEqual({ kind: 'malformed' });
    await client.close();
  });

  it('files every one of many concurrent answers with its own request', async () => {
    const { client, tap } = await tapped({
      ...script,
      handlers: { 'tools/call': async ({ name }) => ({ content: [], was: await Promise.resolve(name) }) },
    });
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        using exchange = tap.follow();
        await client.callTool({ name: `tool-${index}`, _meta: exchange.meta });
        expect(exchange.answer).toMatchObject({ result: { was: `tool-${index}` } });
      }),
    );
    await client.close();
  });

  it('knows an answer again whose id came back as text', async () => {
    const { client, tap, server } = await tapped({ ...script, handlers: { 'tools/call': () => silent } });
    using exchange = tap.follow();
    const call = client.callTool({ name: 'x', _meta: exchange.meta });
    await written();
    server.say({ id: String(server.received.at(-1)?.id), result: { content: [] } });
    await call;
    expect(exchange.answer).toMatchObject({ kind: 'result' });
    await client.close();
  });

  it('does not take an error without an id for the answer to request 0', async () => {
    const { client, tap, server } = await tapped({ ...script, handlers: { 'tools/call': () => silent } });
    const exchanges = await Promise.all(
      Array.from({ length: 3 }, () => {
        const exchange = tap.follow();
        client.callTool({ name: 'x', _meta: exchange.meta }).catch(() => {}); // ends with the client
        return Promise.resolve(exchange);
      }),
    );
    await written();
    server.say({ id: null, error: { code: -32_700, message: 'parse error' } });
    expect(exchanges.map(exchange => exchange.answer)).toEqual([undefined, undefined, undefined]);
    await client.close();
  });

  it('tells progress before the answer that came right behind it, and all of it', async () => {
    const { client, tap, server } = await tapped({ ...script, handlers: { 'tools/call': () => silent } });
    const heard: Progress[] = [];
    using exchange = tap.follow({ onProgress: progress => heard.push(progress) });
    const call = client.callTool({ name: 'x', _meta: exchange.meta }, { onprogress: () => {} });
    await written();
    const progressToken = server.received.at(-1)?.params._meta?.progressToken;
    server.say({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, total: 2, message: 'm', own: 1 },
    });
    server.say({ method: 'notifications/progress', params: { progressToken, progress: 2, total: 2 } });
    server.say({ id: server.received.at(-1)?.id, result: { resultType: 'complete', content: [] } });
    expect(heard).toEqual([
      { progress: 1, total: 2, message: 'm', own: 1 },
      { progress: 2, total: 2 },
    ]);
    await call;
    await client.close();
  });

  it.each([
    ['of an unknown token', { progressToken: 99, progress: 1 }],
    ['without a number', { progressToken: 0, progress: 'half' }],
    ['without anything', undefined],
  ])('overlooks progress %s', async (_what, params) => {
    const { client, server, faults } = await tapped(script);
    server.say({ method: 'notifications/progress', params });
    expect(faults).toEqual([]);
    await client.close();
  });

  it('drops an answer that comes after its request was given up', async () => {
    const { client, tap, server, faults } = await tapped({ ...script, handlers: { 'tools/call': () => silent } });
    const controller = new AbortController();
    const exchange = tap.follow();
    const call = client.callTool({ name: 'x', _meta: exchange.meta }, { signal: controller.signal });
    await written();
    controller.abort('enough');
    await expect(call).rejects.toThrow('enough');
    exchange[Symbol.dispose]();
    server.say({ id: server.received.find(asked => asked.method === 'tools/call')?.id, result: { secret: 'x' } });
    expect(faults).toEqual([]);
    await client.close();
  });

  it('keeps what the server says about itself as it came', async () => {
    const { tap, client } = await tapped({ ...script, capabilities: { tools: true, own: { unknown: 1 } } });
    expect(tap.greeting?.result).toMatchObject({ capabilities: { tools: true, own: { unknown: 1 } } });
    await client.close();
  });

  it('tells once that the wire is closed, whichever side closes it', async () => {
    const remote = await tapped(script);
    remote.server.exit({ how: 'exited', code: 1 });
    await remote.client.close();
    const local = await tapped(script);
    await local.client.close();
    await local.tap.close();
    expect([remote.closed, local.closed]).toEqual([1, 1]);
    expect([remote.tap.closed, local.tap.closed]).toEqual([true, true]);
  });
});

describe('the tap', () => {
  it('answers the SDK from a recorded initialize, without touching the wire', async () => {
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'recorded' },
      instructions: 'Kept.',
      unknown: [1],
    };
    const { client, tap, server } = await tapped({ modern: [] }, { initialize });
    expect(server.methods()).toEqual(['notifications/initialized']);
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-06-18');
    expect(tap.greeting).toEqual({ method: 'initialize', result: initialize });
    await client.close();
  });

  it.each<[string, JsonObject]>([
    ['no serverInfo', { protocolVersion: '2025-11-25', capabilities: {} }],
    [
      'capabilities of wrong types',
      { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: 'yes' }, logging: 1 }, serverInfo: {} },
    ],
    ['no capabilities', { protocolVersion: '2025-11-25', serverInfo: { name: 1, version: 2 } }],
  ])('lets the SDK connect to a server that introduces itself with %s', async (_what, result) => {
    const { client, tap } = await tapped({ modern: [], handlers: { initialize: () => result } });
    expect(tap.greeting?.result).toEqual(result);
    await client.close();
  });

  it('lets the SDK take a server for modern that describes itself oddly', async () => {
    const discover = {
      supportedVersions: ['2026-07-28', 5],
      capabilities: { tools: [] },
      instructions: 7,
      resultType: 1,
    };
    const { client, tap } = await tapped({ handlers: { 'server/discover': () => discover } });
    expect(client.getProtocolEra()).toBe('modern');
    expect(tap.greeting?.result).toMatchObject(discover);
    await client.close();
  });

  it('gives what a server asks, and what it is answered, as they are, and the SDK nothing of it', async () => {
    const question = { message: 'm', unknown: { kept: true } };
    const asked: unknown[] = [];
    const { client, server, faults } = await tapped(
      { modern: [] },
      {
        onQuestion(...args) {
          asked.push(args.slice(0, 2));
          return Promise.resolve({ result: { action: 'accept', content: null, own: [1] } });
        },
      },
    );
    server.say({ id: 'q1', method: 'elicitation/create', params: question });
    await written();
    expect(asked).toEqual([[{ method: 'elicitation/create', params: question }, undefined]]);
    expect(server.answers.get('q1')).toEqual({
      jsonrpc: '2.0',
      id: 'q1',
      result: { action: 'accept', content: null, own: [1] },
    });
    expect(faults).toEqual([]);
    await client.close();
  });

  it('leaves to the SDK what nobody answers', async () => {
    const { client, server } = await tapped({ modern: [] }, { onQuestion: () => undefined });
    server.say({ id: 'q1', method: 'roots/list' });
    await written();
    expect(server.answers.get('q1')).toMatchObject({ error: { code: -32_601 } });
    await client.close();
  });

  it('answers nothing that the server took back, and withdraws everything when the wire closes', async () => {
    const signals: AbortSignal[] = [];
    const answer = Promise.withResolvers<{ result: JsonObject }>();
    const { client, server } = await tapped(
      { modern: [] },
      {
        onQuestion(_question, _origin, signal) {
          signals.push(signal);
          return answer.promise;
        },
      },
    );
    server.say({ id: 'q1', method: 'roots/list' });
    server.say({ id: 'q2', method: 'roots/list' });
    server.say({ method: 'notifications/cancelled', params: { requestId: 'q1' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    answer.resolve({ result: { roots: [] } });
    await written();
    expect([...server.answers.keys()]).toEqual(['q2']);
    server.say({ id: 'q3', method: 'roots/list' });
    await client.close();
    expect(signals.at(-1)?.aborted).toBe(true);
  });

  it('tells what is said on the stream of a request together with who sent it', async () => {
    const heard: unknown[] = [];
    const { client, tap, server } = await tapped(
      { handlers: { 'tools/call': () => silent } },
      { onNotice: (method, params, origin) => heard.push([method, params, origin]) },
    );
    const sender = {};
    using exchange = tap.follow({ sender });
    const call = client.callTool({ name: 'x', _meta: exchange.meta }).catch(() => 'closed');
    await written();
    const ofRequest = server.received.at(-1)?.id;
    const frame = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', own: 1 } } as const;
    server.wire.onmessage?.(frame, ofRequest === undefined ? {} : { ofRequest });
    server.wire.onmessage?.(frame, { ofRequest: 4711 });
    server.wire.onmessage?.(frame);
    expect(heard).toEqual([
      ['notifications/message', frame.params, { sender }],
      ['notifications/message', frame.params, { sender: undefined }],
      ['notifications/message', frame.params, undefined],
    ]);
    await client.close();
    await call;
  });

  it('never lets the SDK hear of a close that failed, for it would not wait for it', async () => {
    const { client, server, faults } = await tapped();
    server.wire.close = () => Promise.reject(new Error('stuck'));
    await client.close();
    expect(faults.map(fault => fault.message)).toEqual(['stuck']);
  });

  it('waits for notifications that are on their way', async () => {
    const { client, tap, server } = await tapped();
    const sending = Promise.withResolvers<void>();
    server.wire.send = () => sending.promise;
    void client.notification({ method: 'notifications/cancelled', params: { requestId: 1 } }); // settled below
    let sent = false;
    const wait = tap.noticesSent().then(() => {
      sent = true;
    });
    await new Promise(setImmediate);
    expect(sent).toBe(false);
    sending.resolve();
    await wait;
    await client.close();
  });
});

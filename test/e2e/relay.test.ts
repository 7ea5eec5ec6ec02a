import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Notice } from '../../src/connections/connection.ts';
import type { ConnectionRequest } from '../../src/connections/connection-request.ts';
import { LongshoreError } from '../../src/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import { type CallClient, relayedCapabilities } from '../../src/core/ports/call-client.ts';
import { processRunner } from '../../src/runners/process.ts';
import { remoteRunner } from '../../src/runners/remote.ts';
import { type AnsweringClient, answeringClient } from '../fixtures/answering-client.ts';
import { type Connected, connect } from '../fixtures/connecting.ts';
import { event, legacyMcp, openStream } from '../fixtures/http-mcp.ts';
import { serveHttp } from '../fixtures/http-server.ts';
import { fixtureSpec } from '../fixtures/process-surroundings.ts';
import { capabilitiesIn, type RelayingHttp, relayingHttp } from '../fixtures/relaying-http.ts';
import { fixtureServer } from '../fixtures/wired-server.ts';

const running = new Set<AsyncDisposable>();
afterEach(async () => {
  // Connections before the servers that they are to.
  for (const one of [...running].reverse()) await one[Symbol.asyncDispose]();
  running.clear();
});

/** A connection as a program that relays has it; closed after the test. */
async function relayed(open: ConnectionRequest['open']): Promise<Connected> {
  const connected = await connect(open, { declares: relayedCapabilities });
  running.add({ [Symbol.asyncDispose]: () => connected.connection.close() });
  return connected;
}

function overStdio(): Promise<Connected> {
  const spec = fixtureSpec('relaying', { args: [fixtureServer('relaying')] });
  return relayed(request => processRunner.open(spec, request));
}

async function overHttp(): Promise<Connected & { readonly server: RelayingHttp }> {
  const server = await relayingHttp();
  running.add(server);
  const spec = { kind: 'remote', url: server.url, transport: 'streamable-http', inferred: false, headers: {} } as const;
  const connected = await relayed(request => remoteRunner.open(spec, request));
  return { ...connected, server };
}

const upstreams: readonly (readonly [string, () => Promise<Connected>])[] = [
  ['2025 over stdio', overStdio],
  ['2026 over HTTP', overHttp],
];

/** What the server was answered, whichever way it asked: the answer to its only question. */
function answerIn(result: JsonObject): unknown {
  const { answer, error, answers } = result;
  return answer ?? error ?? (answers as readonly { readonly q?: unknown }[] | undefined)?.[0]?.q;
}

/** What a call fails with. */
function failureOf(result: Promise<unknown>): Promise<unknown> {
  return result.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const answers: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ada', deep: { list: [null, 1] } }, own: { kept: true } },
  'sampling/createMessage': { model: 'm', role: 'assistant', content: { type: 'hologram', own: 1 }, stopReason: 'own' },
  'roots/list': { roots: [{ uri: 'file:///x', name: 'x', own: 1 }], own: 'kept' },
};

function client(over: Partial<CallClient> = {}): AnsweringClient {
  return answeringClient(({ method }) => answers[method] ?? {}, over);
}

/** Somebody who never answers. */
function silentClient(over: Partial<CallClient> = {}): AnsweringClient {
  return answeringClient(() => new Promise(() => {}), over);
}

describe.each(upstreams)('a server of %s', (era, open) => {
  const isModern = era.startsWith('2026');

  it.each([
    ['form', 'elicitation/create', { message: 'Who?', own: { kept: [1, null] } }],
    ['url', 'elicitation/create', { mode: 'url', url: 'https://example.com/in', own: 'kept' }],
    ['sample', 'sampling/createMessage', { maxTokens: 5, own: true }],
    ['roots', 'roots/list', {}],
  ])(
    'puts its question (%s) to the client behind the call, and gets the answer, both as they are',
    async (name, method, params) => {
      const { call } = await open();
      const someone = client();
      const result = await call(name, {}, { client: someone });
      expect(someone.asked).toMatchObject([{ method, params }]);
      expect(answerIn(result)).toEqual(answers[method]);
    },
  );

  it('puts several questions at once', async () => {
    const { call } = await open();
    const both = Promise.withResolvers<void>();
    const someone: AnsweringClient = answeringClient(async ({ method }) => {
      if (someone.asked.length === 2) both.resolve();
      await both.promise;
      return answers[method] ?? {};
    });
    const result = await call('several', {}, { client: someone });
    expect(someone.rounds).toHaveLength(isModern ? 1 : 2);
    const form = answers['elicitation/create'];
    const roots = answers['roots/list'];
    expect(isModern ? result['answers'] : result['answer']).toEqual(isModern ? [{ a: form, b: roots }] : [form, roots]);
  });

  it('puts one round after the other', async () => {
    const { call } = await open();
    const someone = answeringClient(({ params: { message } }) => ({ action: 'accept', content: { message } }));
    const result = await call('rounds', {}, { client: someone });
    const said = [1, 2, 3].map(round => ({ action: 'accept', content: { message: `round ${round}` } }));
    expect(isModern ? result['answers'] : result['answer']).toEqual(
      isModern ? said.map((answer, index) => ({ [`r${index + 1}`]: answer })) : said,
    );
  });

  it('asks in prompts too', async () => {
    const { call } = await open();
    const result = await call('letter', {}, { method: 'prompts/get', client: client() });
    expect(result).toMatchObject({ messages: [] });
    expect(answerIn(result)).toEqual(answers['elicitation/create']);
  });

  it('asks again where its question was left unanswered', async () => {
    const { call } = await open();
    let times = 0;
    const forgetful: CallClient = {
      ...client(),
      ask: questions => {
        times += 1;
        const [key = ''] = Object.keys(questions);
        return Promise.resolve(times < 4 ? { other: { own: 1 } } : { [key]: { action: 'decline' } });
      },
    };
    expect(answerIn(await call('form', {}, { client: forgetful }))).toEqual({ action: 'decline' });
    expect(times).toBe(4);
  });

  it('takes its question back from a client whose call was cancelled', async () => {
    const { call } = await open();
    const someone = silentClient();
    const caller = new AbortController();
    const result = call('form', {}, { client: someone, signal: caller.signal });
    const failed = failureOf(result);
    await vi.waitFor(() => expect(someone.signals).toHaveLength(1));
    caller.abort();
    expect(await failed).toMatchObject({ code: 'cancelled' });
    expect(someone.signals[0]?.aborted).toBe(true);
  });

  it('takes its question back when the connection closes', async () => {
    const { call, connection } = await open();
    const someone = silentClient();
    const failed = failureOf(call('form', {}, { client: someone }));
    await vi.waitFor(() => expect(someone.signals).toHaveLength(1));
    await connection.close();
    expect(await failed).toMatchObject({ code: 'unknown-outcome' });
    expect(someone.signals[0]?.aborted).toBe(true);
  });

  it('passes unknown _meta on, and none of the reserved keys of a caller', async () => {
    const { call } = await open();
    const meta = {
      traceparent: '00-1',
      'example.com/own': { deep: [1] },
      progressToken: 'theirs',
      'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
      'io.modelcontextprotocol/logLevel': 'debug',
    };
    const { answer } = await call('meta', {}, { meta, onprogress: () => {} });
    expect(answer).toMatchObject({ traceparent: '00-1', 'example.com/own': { deep: [1] } });
    expect(answer).not.toMatchObject({ progressToken: 'theirs' });
    expect(answer).not.toHaveProperty(['io.modelcontextprotocol/logLevel']);
    const declared = (answer as JsonObject)['io.modelcontextprotocol/clientCapabilities'];
    expect(declared).toEqual(isModern ? {} : undefined);
  });

  it('completes arguments, the result as it is', async () => {
    const { call } = await open();
    const completes = {
      ref: { type: 'ref/prompt', name: 'letter' },
      argument: { name: 'to', value: 'A' },
      context: { arguments: { from: 'B' } },
    };
    const { completion } = await call('letter', {}, { method: 'completion/complete', completes });
    expect(completion).toEqual({
      values: ['"A"!'],
      total: 1,
      hasMore: false,
      own: { ref: completes.ref, context: completes.context },
    });
  });

  it('R48: lists its resource templates, and one for what it does not list', async () => {
    const { connection } = await open();
    const { templates, diagnostics } = await connection.discover(new AbortController().signal);
    expect(templates).toEqual([
      { name: 'note', uriTemplate: 'note://{name}', own: 1 },
      { name: 'day', uriTemplate: 'day:{/year,month}' },
      expect.objectContaining({ name: 'linked_resource', uriTemplate: '{+uri}' }),
    ]);
    expect(diagnostics).toEqual([]);
  });

  it('says of itself what is kept while it sleeps', async () => {
    const { connection } = await open();
    const { said } = await connection.discover(new AbortController().signal);
    expect(said).toMatchObject({ instructions: 'Ask before you relay.', capabilities: { own: { kept: true } } });
  });

  it('tells changes of resources for as long as somebody subscribes', async () => {
    const { connection, call, subscribe } = await open();
    const heard: Notice[] = [];
    connection.onNotice(notice => heard.push(notice));
    const touch = (uri: string) => call('touch', { uri });
    await subscribe('note://a');
    await subscribe('note://b');
    await touch('note://a');
    await touch('note://b');
    await touch('note://c');
    await vi.waitFor(() => expect(heard.map(({ params }) => params['uri'])).toEqual(['note://a', 'note://b']));
    expect(heard[0]).toMatchObject({ method: 'notifications/resources/updated', params: { own: 1 }, toCall: false });
    await connection.unsubscribe('note://a');
    await touch('note://a');
    await touch('note://b');
    await vi.waitFor(() => expect(heard.length).toBeGreaterThan(2));
    expect(heard.slice(2).map(({ params }) => params['uri'])).toEqual(['note://b']);
  });
});

describe.each(upstreams)('the leave for a server of %s', (_era, open) => {
  it('to call is none to subscribe, the other way round neither, and each is for one use', async () => {
    const { connection, mint, call } = await open();
    const { agentId, epoch } = connection;
    const operation = { agentId, caller: 'library', epoch, arguments: {}, definition: { name: 'x' } } as const;
    const toCall = mint({ ...operation, method: 'resources/read', wireName: 'note://a' });
    const toSubscribe = mint({ ...operation, method: 'resources/subscribe', wireName: 'note://a' });
    const forged = { code: 'forged-authorisation' };
    await expect(connection.subscribe(toCall)).rejects.toMatchObject(forged);
    await expect(connection.call(toSubscribe)).rejects.toMatchObject(forged);
    for (const used of [toCall, toSubscribe]) await expect(connection.subscribe(used)).rejects.toMatchObject(forged);
    await expect(
      connection.subscribe(
        mint({ ...operation, epoch: 'old' as never, method: 'resources/subscribe', wireName: 'note://a' }),
      ),
    ).rejects.toBeInstanceOf(LongshoreError);
    const heard: Notice[] = [];
    connection.onNotice(notice => heard.push(notice));
    await call('touch', { uri: 'note://a' });
    expect(heard).toEqual([]);
  });
});

describe('a server of 2025 over stdio', () => {
  it('that asks before any call is answered at once for nobody', async () => {
    const { call } = await overStdio();
    await vi.waitFor(async () => expect(await call('startup')).toMatchObject({ answer: { roots: [] } }));
  });

  it.each([
    ['nobody', undefined],
    ['a client that can do none of it', client({ capabilities: {} })],
  ])('gets an answer at once where %s is behind the call', async (_who, someone) => {
    const { call } = await overStdio();
    const options = someone === undefined ? {} : { client: someone };
    expect(answerIn(await call('form', {}, options))).toEqual({ action: 'decline' });
    expect(answerIn(await call('url', {}, options))).toEqual({ action: 'decline' });
    expect(answerIn(await call('roots', {}, options))).toEqual({ roots: [] });
    expect(answerIn(await call('sample', {}, options))).toMatchObject({ code: -32_603 });
    expect(someone?.asked ?? []).toEqual([]);
  });

  it('is refused where calls of two clients run, or of one and of nobody, for its question names none', async () => {
    for (const other of [{ client: client({ identity: 'other' }) }, {}]) {
      const { call } = await overStdio();
      const stop = new AbortController();
      const hanging = call('hang', {}, { ...other, signal: stop.signal }).catch(() => 'stopped');
      const someone = client();
      const result = answerIn(await call('form', {}, { client: someone }));
      expect(result).toMatchObject({ code: -32_603, message: expect.stringContaining('Several clients') });
      expect(someone.asked).toEqual([]);
      stop.abort();
      await hanging;
      expect(answerIn(await call('form', {}, { client: someone }))).toEqual(answers['elicitation/create']);
    }
  });

  it('is answered through another call of the same client where the one it was asked through ends', async () => {
    const { call } = await overStdio();
    const stop = new AbortController();
    const first = silentClient();
    const hanging = call('hang', {}, { client: first, signal: stop.signal }).catch(() => 'stopped');
    const second = client();
    const result = call('form', {}, { client: second });
    await vi.waitFor(() => expect(first.asked).toHaveLength(1));
    expect(second.asked).toEqual([]);
    stop.abort();
    expect(answerIn(await result)).toEqual(answers['elicitation/create']);
    expect(second.asked).toHaveLength(1);
    await hanging;
  });

  it('learns that its question cannot be answered when the client goes away, or never answers it', async () => {
    const { call } = await overStdio();
    const gone: CallClient = { ...client(), ask: () => Promise.reject(new Error('the token sk-1 is wrong')) };
    const refused = answerIn(await call('form', {}, { client: gone }));
    expect(refused).toMatchObject({ code: -32_603 });
    expect(JSON.stringify(refused)).not.toContain('sk-1');
    let times = 0;
    const mute: CallClient = { ...client(), ask: () => Promise.resolve({ times: ++times }) };
    expect(answerIn(await call('form', {}, { client: mute }))).toMatchObject({ code: -32_603 });
    expect(times).toBe(10);
  });

  it('tells its log to the client that is alone there, once, and to whoever listens to the connection', async () => {
    const { call, connection } = await overStdio();
    const heard: Notice[] = [];
    const stopListening = connection.onNotice(notice => heard.push(notice));
    const someone = client();
    const stop = new AbortController();
    const hanging = call('hang', {}, { client: someone, signal: stop.signal }).catch(() => 'stopped');
    await call('log', {}, { client: someone });
    const first = { level: 'info', logger: 'fixture', data: { told: 1 }, own: [1] };
    expect(someone.logged).toEqual([first]);
    await call('log', {}, { client: client({ identity: 'other' }) });
    await call('log');
    expect(someone.logged).toEqual([first]);
    stop.abort();
    await hanging;
    await call('log');
    expect(heard.map(({ params, toCall }) => [params['data'], toCall])).toEqual([
      [{ told: 1 }, true],
      [{ told: 2 }, false],
      [{ told: 3 }, false],
      [{ told: 4 }, false],
    ]);
    stopListening();
    await call('log');
    expect(heard).toHaveLength(4);
  });

  it('takes the level that is set', async () => {
    const { call, connection } = await overStdio();
    await connection.setLogLevel('warning');
    expect(await call('level')).toMatchObject({ answer: 'warning' });
  });

  it('hears of a cancelled call by the id that it knows', async () => {
    const { call } = await overStdio();
    const { id } = await call('level');
    const stop = new AbortController();
    const hanging = call('hang', {}, { signal: stop.signal }).catch(() => 'stopped');
    await new Promise(setImmediate);
    stop.abort();
    await hanging;
    await vi.waitFor(async () => expect(await call('cancelled')).toMatchObject({ answer: [Number(id) + 1] }));
  });
});

describe('a server of 2025 over HTTP', () => {
  it('asks on the stream of a call whoever is behind that call, however many others call', async () => {
    const asking: (() => void)[] = [];
    const answered = new Map<unknown, (answer: JsonObject) => void>();
    const server = await serveHttp(
      legacyMcp({
        first({ body }, response) {
          const { id, method, result } = JSON.parse(body === '' ? '{}' : body) as JsonObject;
          const answer = method === undefined ? answered.get(id) : undefined;
          if (answer === undefined) return false;
          answer(isJsonObject(result) ? result : {});
          response.writeHead(202).end();
          return true;
        },
        call(id, response) {
          openStream(response);
          answered.set(`q${id}`, answer => {
            response.end(event({ jsonrpc: '2.0', id, result: { content: [], answer } }));
          });
          const question = { jsonrpc: '2.0', id: `q${id}`, method: 'elicitation/create', params: { message: 'Who?' } };
          asking.push(() => void response.write(event(question)));
          // All of them are under way before the first one asks.
          if (asking.length === 3) for (const ask of asking) ask();
        },
      }),
    );
    running.add(server);
    const url = `${server.origin}/mcp`;
    const spec = { kind: 'remote', url, transport: 'streamable-http', inferred: false, headers: {} } as const;
    const { call } = await relayed(request => remoteRunner.open(spec, request));
    const named = (identity: string) =>
      answeringClient(() => ({ action: 'accept', content: { identity } }), { identity });
    const results = ['a', 'b', 'c'].map(identity => call('tool', {}, { client: named(identity) }));
    const told = ['a', 'b', 'c'].map(identity => ({ action: 'accept', content: { identity } }));
    expect((await Promise.all(results)).map(answerIn)).toEqual(told);
  });
});

describe('a server of 2026 over HTTP', () => {
  it('gets with each call what its own client can, and nothing where nobody is behind it', async () => {
    const { call, server } = await overHttp();
    const one = client({ capabilities: { elicitation: { form: {} }, experimental: { own: 1 } } });
    await Promise.all([call('form', {}, { client: one }), call('meta', {}, { client: client({ capabilities: {} }) })]);
    await call('meta');
    const calls = server.received.filter(({ method }) => method === 'tools/call');
    const of = (name: string) => calls.filter(({ params }) => params['name'] === name).map(capabilitiesIn);
    expect(of('form')).toEqual([one.capabilities, one.capabilities]);
    expect(of('meta')).toEqual([{}, {}]);
  });

  it('gets its state back to the byte', async () => {
    const { call, server } = await overHttp();
    await call('rounds', {}, { client: client() });
    const states = server.received.flatMap(({ params }) =>
      params['requestState'] === undefined ? [] : [params['requestState']],
    );
    expect(states).toHaveLength(3);
    for (const state of states) expect(state).toMatch(/^ \{.*\}\n$/);
  });

  it.each([
    ['form', undefined],
    ['form', client({ capabilities: { elicitation: { url: {} } } })],
    ['url', client({ capabilities: { elicitation: {} } })],
    ['sample', client({ capabilities: { elicitation: {}, roots: {} } })],
  ])('may not ask (%s) what the client did not declare', async (name, someone) => {
    const { call } = await overHttp();
    const options = someone === undefined ? {} : { client: someone };
    await expect(call(name, {}, options)).rejects.toMatchObject({ code: 'protocol-error' });
    expect(someone?.asked ?? []).toEqual([]);
  });

  it('asks two clients at once, each its own question', async () => {
    const { call } = await overHttp();
    const both = Promise.withResolvers<void>();
    let asked = 0;
    const named = (identity: string) =>
      answeringClient(
        async () => {
          asked += 1;
          if (asked === 2) both.resolve();
          await both.promise;
          return { action: 'accept', content: { identity } };
        },
        { identity },
      );
    const results = await Promise.all(['a', 'b'].map(identity => call('form', {}, { client: named(identity) })));
    expect(results.map(answerIn)).toEqual(['a', 'b'].map(identity => ({ action: 'accept', content: { identity } })));
  });

  it('fails the call with what its client failed with', async () => {
    const { call } = await overHttp();
    const failure = new Error('gone');
    const gone: CallClient = { ...client(), ask: () => Promise.reject(failure) };
    await expect(call('form', {}, { client: gone })).rejects.toBe(failure);
  });

  it('asks when a resource is read', async () => {
    const { call } = await overHttp();
    const result = await call('note://ask', {}, { method: 'resources/read', client: client() });
    expect(answerIn(result)).toEqual(answers['elicitation/create']);
  });

  it('logs for the calls that want it, each to its own client, however many run', async () => {
    const { call, connection } = await overHttp();
    const heard: Notice[] = [];
    connection.onNotice(notice => heard.push(notice));
    const clients = ['debug', 'info', undefined].map((logLevel, index) =>
      client({ identity: `client-${index}`, ...(logLevel !== undefined && { logLevel }) }),
    );
    const stop = new AbortController();
    const hanging = call('hang', {}, { client: client({ identity: 'x', logLevel: 'debug' }), signal: stop.signal });
    const stopped = failureOf(hanging);
    const rounds = Array.from({ length: 5 }, (_, round) =>
      clients.map((one, index) => call('log', { of: index, round }, { client: one })),
    );
    const levels = await Promise.all(rounds.flat());
    expect(levels.slice(0, 3).map(({ level }) => level)).toEqual(['debug', 'info', null]);
    for (const [index, one] of clients.entries()) {
      const own = one.logged
        .map(({ data }) => data as JsonObject)
        .sort((a, b) => Number(a['round']) - Number(b['round']));
      expect(own).toEqual(index === 2 ? [] : [0, 1, 2, 3, 4].map(round => ({ of: index, round })));
    }
    expect(heard).toHaveLength(10);
    expect(heard.every(({ toCall }) => toCall)).toBe(true);
    stop.abort();
    expect(await stopped).toMatchObject({ code: 'cancelled' });
  });

  it('sees the stream of a cancelled call close', async () => {
    const { call, server } = await overHttp();
    const stop = new AbortController();
    const hanging = call('hang', {}, { signal: stop.signal }).catch(() => 'stopped');
    await vi.waitFor(() => expect(server.received.at(-1)?.params['name']).toBe('hang'));
    stop.abort();
    await hanging;
    await vi.waitFor(() => expect(server.givenUp()).toBe(1));
  });

  it('is listened to again after it hung up, and what may have changed meanwhile is told', async () => {
    const { connection, server, call, subscribe } = await overHttp();
    const heard: Notice[] = [];
    connection.onNotice(notice => heard.push(notice));
    await subscribe('note://a');
    expect(server.listened()).toEqual([['note://a']]);
    server.hangUp();
    await vi.waitFor(() => expect(heard.map(({ params }) => params['uri'])).toEqual(['note://a']), 10_000);
    await call('touch', { uri: 'note://a' });
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    await connection.unsubscribe('note://a');
    await vi.waitFor(() => expect(server.listened()).toEqual([]));
  });

  it('is refused as a teller of changes where it does not listen', async () => {
    const { subscribe } = await overHttp();
    await subscribe('note://a');
    await expect(subscribe('note://deaf')).rejects.toMatchObject({ code: 'protocol-error' });
    await subscribe('note://b');
  });
});

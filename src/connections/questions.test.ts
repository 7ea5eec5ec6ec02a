import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, type AnsweringClient, answeringClient } from '../../test/fixtures/answering-client.ts';
import { connectTo } from '../../test/fixtures/connecting.ts';
import { type Asked, type ScriptedServer, scriptedServer, silent } from '../../test/fixtures/scripted-server.ts';
import { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';

afterEach(() => vi.useRealTimers());

/** Somebody who can answer; records what is asked. */
function edge(answer: Answer, capabilities: JsonObject = { elicitation: { form: {} } }): AnsweringClient {
  return answeringClient(answer, { capabilities });
}

const accept = (content: JsonObject = {}): Promise<JsonObject> => Promise.resolve({ action: 'accept', content });
const form = { type: 'object', properties: { name: { type: 'string' } } } as const;
const elicitation = { message: 'Who?', requestedSchema: form, unknown: { kept: [1] } };
const calls = (server: ScriptedServer): readonly Asked[] =>
  server.received.filter(asked => asked.method === 'tools/call');
const inFlight = (): Promise<void> => new Promise(setImmediate);

/** A modern server that asks in every round what `rounds` says, then is done. */
function inRounds(...rounds: readonly JsonObject[]) {
  let round = 0;
  const ask = (): JsonObject => {
    const next = rounds[round++];
    return next === undefined ? { content: [], done: true } : { resultType: 'input_required', ...next };
  };
  return scriptedServer({ handlers: { 'tools/call': ask } });
}

describe('what a server of 2025 asks', () => {
  const legacy = (): ScriptedServer => scriptedServer({ modern: [], handlers: { 'tools/call': () => silent } });

  it('is declared to it, asked verbatim, and answered', async () => {
    const someone = edge(() => accept({ name: 'Ada' }));
    const server = legacy();
    const { connection } = await connectTo(server, { client: someone });
    const initialize = server.received.find(asked => asked.method === 'initialize');
    expect(initialize?.params.capabilities).toEqual({ elicitation: { form: {} } });
    server.say({ id: 'q', method: 'elicitation/create', params: elicitation });
    await vi.waitFor(() => expect(server.answers.has('q')).toBe(true));
    expect(someone.asked).toEqual([{ method: 'elicitation/create', params: elicitation }]);
    expect(server.answers.get('q')).toMatchObject({ result: { action: 'accept', content: { name: 'Ada' } } });
    await connection.close();
  });

  it('is told that there is no such method, where it was not declared', async () => {
    const someone = edge(() => accept());
    const server = legacy();
    const { connection } = await connectTo(server, { client: someone });
    server.say({ id: 1, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
    server.say({ id: 2, method: 'roots/list' });
    await vi.waitFor(() => expect(server.answers.size).toBe(2));
    for (const answer of server.answers.values()) expect(answer).toMatchObject({ error: { code: -32_601 } });
    expect(someone.asked).toEqual([]);
    await connection.close();
  });

  it('works for sampling and roots too', async () => {
    const answers: Record<string, JsonObject> = {
      'roots/list': { roots: [{ uri: 'file:///x', name: 'x' }] },
      'sampling/createMessage': { model: 'm', role: 'assistant', content: { type: 'text', text: 'hi' } },
    };
    const someone = edge(({ method }) => Promise.resolve(answers[method] ?? {}), { sampling: {}, roots: {} });
    const server = legacy();
    const { connection } = await connectTo(server, { client: someone });
    server.say({ id: 1, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
    server.say({ id: 2, method: 'roots/list' });
    await vi.waitFor(() => expect(server.answers.size).toBe(2));
    expect(server.answers.get(1)).toMatchObject({ result: answers['sampling/createMessage'] });
    expect(server.answers.get(2)).toMatchObject({ result: answers['roots/list'] });
    await connection.close();
  });

  it('hears nothing of why it could not be answered', async () => {
    const someone = edge(() => Promise.reject(new Error('the token sk-123 is wrong')));
    const server = legacy();
    const { connection } = await connectTo(server, { client: someone });
    server.say({ id: 1, method: 'elicitation/create', params: elicitation });
    await vi.waitFor(() => expect(server.answers.has(1)).toBe(true));
    expect(server.answers.get(1)).toMatchObject({ error: { code: -32_603 } });
    expect(JSON.stringify(server.answers.get(1))).not.toContain('sk-123');
    await connection.close();
  });

  it("C8: is passed a client's own error as it is", async () => {
    const clientError = { code: -1, message: 'User rejected sampling request', data: { why: 'policy' } };
    const refusal = new LongshoreError('protocol-error', 'The client could not answer.', { data: { clientError } });
    const someone = edge(() => Promise.reject(refusal));
    const server = legacy();
    const { connection } = await connectTo(server, { client: someone });
    server.say({ id: 1, method: 'elicitation/create', params: elicitation });
    await vi.waitFor(() => expect(server.answers.has(1)).toBe(true));
    expect(server.answers.get(1)).toMatchObject({ error: clientError });
    await connection.close();
  });

  it('is no longer asked of anybody when the server takes it back, or the connection closes', async () => {
    const someone = edge(() => new Promise(() => {}));
    const server = legacy();
    const { connection } = await connectTo(server, { client: someone });
    server.say({ id: 1, method: 'elicitation/create', params: elicitation });
    server.say({ id: 2, method: 'elicitation/create', params: elicitation });
    await vi.waitFor(() => expect(someone.signals).toHaveLength(2));
    server.say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await vi.waitFor(() => expect(someone.signals.map(({ aborted }) => aborted)).toEqual([true, false]));
    await connection.close();
    expect(someone.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('stops the clock of every call while a person is asked, and only then', async () => {
    vi.useFakeTimers();
    const person = Promise.withResolvers<JsonObject>();
    const someone = edge(() => person.promise);
    const server = legacy();
    const { call, connection } = await connectTo(server, { client: someone });
    const failed = vi.fn<(error: unknown) => void>();
    const result = call('x', {}, { idleTimeout: 1000, totalTimeout: 3000 }).catch(failed);
    await vi.advanceTimersByTimeAsync(900);
    server.say({ id: 1, method: 'elicitation/create', params: elicitation });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(failed).not.toHaveBeenCalled();
    person.resolve({ action: 'decline' });
    await vi.advanceTimersByTimeAsync(999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: 'timeout', data: { limit: 'idle' } });
    await result;
    await connection.close();
  });
});

describe('a call in rounds (2026-07-28)', () => {
  it('asks everything at once, verbatim, and sends the same request again with the answers and the exact state', async () => {
    const requestState = '{"opaque": "état" }\n';
    const inputRequests = {
      who: { method: 'elicitation/create', params: elicitation },
      where: { method: 'roots/list' },
    };
    const someone = edge(
      ({ method }) => (method === 'roots/list' ? Promise.resolve({ roots: [] }) : accept({ name: 'Ada' })),
      {
        elicitation: {},
        roots: {},
      },
    );
    const server = inRounds({ inputRequests, requestState });
    const { call, connection } = await connectTo(server, { client: someone });
    expect(await call('x', { a: 1 }, { meta: { traceparent: '00-1' } })).toMatchObject({ done: true });
    expect(someone.asked).toEqual([
      { method: 'elicitation/create', params: elicitation },
      { method: 'roots/list', params: {} },
    ]);
    expect(someone.signals).toHaveLength(1);
    const [first, second] = calls(server);
    expect(second?.id).not.toBe(first?.id);
    expect(second?.params).toMatchObject({
      name: 'x',
      arguments: { a: 1 },
      requestState,
      inputResponses: { who: { action: 'accept', content: { name: 'Ada' } }, where: { roots: [] } },
    });
    expect(second?.params._meta).toMatchObject({ traceparent: '00-1' });
    expect(first?.params).not.toHaveProperty('inputResponses');
    await connection.close();
  });

  it('keeps nothing from one round to the next', async () => {
    const ask = (key: string): JsonObject => ({ [key]: { method: 'elicitation/create', params: elicitation } });
    const server = inRounds({ inputRequests: ask('one'), requestState: 's1' }, { inputRequests: ask('two') });
    const { call, connection } = await connectTo(server, { client: edge(() => accept()) });
    await call('x');
    const [, second, third] = calls(server);
    expect(Object.keys(second?.params.inputResponses ?? {})).toEqual(['one']);
    expect(Object.keys(third?.params.inputResponses ?? {})).toEqual(['two']);
    expect(second?.params.requestState).toBe('s1');
    expect(third?.params).not.toHaveProperty('requestState');
    await connection.close();
  });

  it('asks again, after a pause, where the server only gives it a state', async () => {
    vi.useFakeTimers();
    const server = inRounds({ requestState: 'busy' });
    const { call, connection } = await connectTo(server);
    const result = call('x');
    await vi.advanceTimersByTimeAsync(249);
    expect(calls(server)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ done: true });
    expect(calls(server)[1]?.params).toMatchObject({ requestState: 'busy' });
    expect(calls(server)[1]?.params).not.toHaveProperty('inputResponses');
    await connection.close();
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      'what was not offered',
      { inputRequests: { q: { method: 'sampling/createMessage', params: {} } } },
      /"sampling\/createMessage", which was not offered/,
    ],
    ['what nobody knows', { inputRequests: { q: { method: 'own/thing' } } }, /"own\/thing", which was not offered/],
    ['something unreadable', { inputRequests: { q: 'text' } }, /something unreadable/],
    ['nothing', {}, /not for what/],
  ])('fails where the server asks for %s', async (_what, round, message) => {
    const someone = edge(() => accept());
    const { call, connection } = await connectTo(inRounds(round), { client: someone });
    await expect(call('x')).rejects.toMatchObject({ code: 'protocol-error', message: expect.stringMatching(message) });
    expect(someone.asked).toEqual([]);
    await connection.close();
  });

  it('fails where the server never stops asking', async () => {
    const ask = { inputRequests: { q: { method: 'elicitation/create', params: elicitation } } };
    const server = inRounds(...Array.from({ length: 50 }, () => ask));
    const { call, connection } = await connectTo(server, { client: edge(() => accept()) });
    await expect(call('x')).rejects.toMatchObject({
      code: 'protocol-error',
      message: expect.stringContaining('10 times'),
    });
    expect(calls(server)).toHaveLength(11);
    await connection.close();
  });

  it('fails with a result of a type that nobody knows, and shows it', async () => {
    const server = scriptedServer({ handlers: { 'tools/call': () => ({ resultType: 'task', task: { id: 1 } }) } });
    const { call, connection } = await connectTo(server);
    await expect(call('x')).rejects.toMatchObject({
      code: 'protocol-error',
      message: expect.stringContaining('"task"'),
      data: { result: { task: { id: 1 } } },
    });
    await connection.close();
  });

  it('fails with whatever its client failed with', async () => {
    const refusal = new Error('nobody is there');
    const someone = edge(() => Promise.reject(refusal));
    const server = inRounds({ inputRequests: { a: { method: 'elicitation/create', params: elicitation } } });
    const { call, connection } = await connectTo(server, { client: someone });
    await expect(call('x')).rejects.toBe(refusal);
    await connection.close();
  });

  it('costs no time of the call while a person is asked', async () => {
    vi.useFakeTimers();
    const person = Promise.withResolvers<JsonObject>();
    const server = inRounds({ inputRequests: { q: { method: 'elicitation/create', params: elicitation } } });
    const { call, connection } = await connectTo(server, { client: edge(() => person.promise) });
    const result = call('x', {}, { idleTimeout: 1000, totalTimeout: 1000 });
    await vi.advanceTimersByTimeAsync(3_600_000);
    person.resolve({ action: 'decline' });
    expect(await result).toMatchObject({ done: true });
    await connection.close();
  });

  it('is cancelled while a person is asked, even one who does not listen', async () => {
    const server = inRounds({ inputRequests: { q: { method: 'elicitation/create', params: elicitation } } });
    const someone = edge(() => new Promise(() => {}));
    const { call, connection } = await connectTo(server, { client: someone });
    const caller = new AbortController();
    const result = call('x', {}, { signal: caller.signal });
    await vi.waitFor(() => expect(someone.asked).toHaveLength(1));
    caller.abort();
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
    expect(someone.signals[0]?.aborted).toBe(true);
    await connection.close();
  });

  it('ends with the connection while a person is asked', async () => {
    const server = inRounds({ inputRequests: { q: { method: 'elicitation/create', params: elicitation } } });
    const someone = edge(() => new Promise(() => {}));
    const { call, connection } = await connectTo(server, { client: someone });
    const result = call('x');
    await vi.waitFor(() => expect(someone.asked).toHaveLength(1));
    await connection.close();
    await expect(result).rejects.toMatchObject({ code: 'unknown-outcome' });
    await inFlight();
    expect(calls(server)).toHaveLength(1);
  });
});

/** The answer that a server gets to one question, in either way of asking. */
const ways: readonly (readonly [string, (someone: AnsweringClient, question: JsonObject) => Promise<unknown>])[] = [
  [
    '2025',
    async (someone, question) => {
      const server = scriptedServer({ modern: [] });
      const { connection } = await connectTo(server, { client: someone });
      server.say({ id: 'q', ...question });
      await vi.waitUntil(() => server.answers.has('q'));
      await connection.close();
      return server.answers.get('q')?.result;
    },
  ],
  [
    '2026-07-28',
    async (someone, question) => {
      const server = inRounds({ inputRequests: { q: question } });
      const { call, connection } = await connectTo(server, { client: someone });
      await call('x');
      await connection.close();
      return (calls(server)[1]?.params.inputResponses as JsonObject | undefined)?.q;
    },
  ],
];

describe.each(ways)('the defaults of a form (%s)', (_era, answerOf) => {
  const requestedSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 36 },
      city: { type: 'string' },
    },
  };

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'are filled in where that was declared',
      { applyDefaults: true },
      { action: 'accept', content: { name: 'Bob' } },
      { action: 'accept', content: { name: 'Bob', age: 36 } },
    ],
    ['are left to the edge where it was not', {}, { action: 'accept', content: {} }, { action: 'accept', content: {} }],
    ['are of no use to a refusal', { applyDefaults: true }, { action: 'decline' }, { action: 'decline' }],
  ])('%s', async (_what, declared, answer, expected) => {
    const someone = edge(() => Promise.resolve(answer), { elicitation: { form: declared } });
    const question = { method: 'elicitation/create', params: { message: 'm', requestedSchema } };
    expect(await answerOf(someone, question)).toEqual(expected);
  });
});

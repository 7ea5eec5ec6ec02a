import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { wiredServer } from '../../../test/fixtures/wired-server.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { silentLog } from '../../core/ports/log.ts';
import { legacyVersions, modernVersions } from '../../core/protocol-versions.ts';
import { type BothAnswered, type ProbeAnswer, type ProbeOptions, probe } from './probe.ts';
import { createStdioWire, type StdioWire } from './stdio-wire.ts';
import type { Frame } from './wire.ts';

type Asked = { readonly id: number; readonly method: string; readonly params: JsonObject };

/** A clock whose one sleep ends when the test says so. */
function stoppedClock(): Clock & { advance(): Promise<void> } {
  const wakes: (() => void)[] = [];
  return {
    now: () => 0,
    sleep: () => new Promise(resolve => wakes.push(resolve)),
    async advance() {
      for (const wake of wakes) wake();
      await turn();
    },
  };
}

/** A probe whose server is the test: `asked` are the requests it got so far. */
function probing(options: Partial<ProbeOptions> = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const clock = stoppedClock();
  const exit = Promise.withResolvers<void>();
  const wire = createStdioWire({ stdin, stdout, exited: exit.promise, clock: systemClock, log: silentLog });
  const asked: Asked[] = [];
  stdin.on('data', (line: Buffer) => void asked.push(JSON.parse(line.toString()) as Asked));
  const answer = probe(wire, {
    capabilities: {},
    first: 'discover',
    clock,
    signal: new AbortController().signal,
    ...options,
  });
  answer.catch(() => undefined); // each test looks at it later
  const say = async (...frames: object[]): Promise<void> => {
    stdout.write(frames.map(frame => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join(''));
    await turn();
    await turn();
  };
  /** Answers the latest request of that method. */
  const reply = (method: string, body: object): Promise<void> =>
    say({ id: asked.findLast(request => request.method === method)?.id, ...body });
  return { wire, answer, asked, clock, say, reply, exit: exit.resolve };
}

const methods = (asked: readonly Asked[]): string[] => asked.map(request => request.method);
const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, extra: 'kept' };
const initialized = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' }, x: 1 };
const unknownMethod = { error: { code: -32_601, message: 'no such method' } };
const unsupported = (...supported: string[]): object => ({
  error: { code: -32_022, message: 'unsupported', data: { supported, requested: '2026-07-28' } },
});

function heardBy(wire: StdioWire): Frame[] {
  const heard: Frame[] = [];
  wire.onmessage = frame => void heard.push(frame);
  return heard;
}

describe('what the probe sends', () => {
  it('R44: asks server/discover with the modern envelope, and initialize only after a second of silence', async () => {
    const { asked, clock, reply, answer } = probing({ capabilities: { roots: {} } });
    await turn();
    expect(asked).toMatchObject([
      {
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'longshore' },
            'io.modelcontextprotocol/clientCapabilities': { roots: {} },
          },
        },
      },
    ]);
    await clock.advance();
    expect(asked[1]).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'longshore' } },
    });
    await reply('initialize', { result: initialized });
    await clock.advance();
    await answer;
    expect(methods(asked)).toEqual(['server/discover', 'initialize']); // and never notifications/initialized
  });

  it('asks a server that was legacy before with initialize first, and stays with that if it is silent', async () => {
    const { asked, clock, reply, answer } = probing({ first: 'initialize' });
    await clock.advance();
    expect(methods(asked)).toEqual(['initialize']);
    await reply('initialize', { result: initialized });
    expect(await answer).toEqual({ era: 'legacy', initialize: initialized, cacheable: false });
  });

  it('finds a server that was legacy before and is modern now', async () => {
    const { asked, reply, answer } = probing({ first: 'initialize' });
    await turn();
    await reply('initialize', unknownMethod);
    expect(methods(asked)).toEqual(['initialize', 'server/discover']);
    await reply('server/discover', { result: discovered });
    expect(await answer).toMatchObject({ era: 'modern' });
  });
});

describe('what decides', () => {
  it('R44: a DiscoverResult is modern, and kept verbatim', async () => {
    const { reply, answer } = probing();
    await turn();
    await reply('server/discover', { result: discovered });
    expect(await answer).toEqual({ era: 'modern', discover: discovered, cacheable: true });
  });

  it.each([
    ['an unknown method', unknownMethod],
    ['an odd code', { error: { code: 0, message: 'what?' } }],
    ['a header error of another meaning', { error: { code: -32_020, message: 'x' } }],
    ['a version error that lists only legacy versions', unsupported('2025-06-18', '2024-11-05')],
    ['a version error without a list', { error: { code: -32_022, message: 'x' } }],
    ['a result that is no DiscoverResult', { result: { ok: true } }],
    ['a DiscoverResult of legacy versions only', { result: { ...discovered, supportedVersions: ['2025-11-25'] } }],
    ['an error without an id', { id: null, error: { code: -32_600, message: 'Invalid Request' } }],
  ])('R44: %s is legacy, and that may be remembered', async (_what, body) => {
    const { asked, reply, answer } = probing();
    await turn();
    await reply('server/discover', body);
    expect(methods(asked)).toEqual(['server/discover', 'initialize']);
    await reply('initialize', { result: initialized });
    expect(await answer).toEqual({ era: 'legacy', initialize: initialized, cacheable: true });
  });

  it('never remembers a verdict that came from silence', async () => {
    const { clock, reply, answer } = probing();
    await clock.advance();
    await reply('initialize', { result: initialized });
    await clock.advance();
    expect(await answer).toEqual({ era: 'legacy', initialize: initialized, cacheable: false });
  });

  it.each([
    ['in their order', ['server/discover', 'initialize']],
    ['the second one first', ['initialize', 'server/discover']],
  ])('R44: says that a server which was only slow to start has answered both questions, %s', async (_how, order) => {
    const both = probing();
    await both.clock.advance();
    for (const method of order) {
      await both.reply(method, { result: method === 'initialize' ? initialized : discovered });
    }
    expect(await both.answer).toEqual({ era: 'both' });
  });

  it('R44: a slow server that refuses initialize is modern', async () => {
    const modernOnly = probing();
    await modernOnly.clock.advance();
    await modernOnly.reply('server/discover', { result: discovered });
    await modernOnly.reply('initialize', unknownMethod);
    expect(await modernOnly.answer).toEqual({ era: 'modern', discover: discovered, cacheable: true });
  });

  it('takes a late DiscoverResult after another second in which initialize is not answered', async () => {
    const { clock, reply, answer } = probing();
    await clock.advance();
    await reply('server/discover', { result: discovered });
    await clock.advance();
    expect(await answer).toMatchObject({ era: 'modern' });
  });

  it('waits for discover when initialize was refused', async () => {
    const { clock, reply, answer } = probing();
    await clock.advance();
    await reply('initialize', unknownMethod);
    await reply('server/discover', { result: discovered });
    expect(await answer).toMatchObject({ era: 'modern' });
  });

  it('asks once more when a server refuses a version that it names itself', async () => {
    const { asked, reply, answer } = probing();
    await turn();
    await reply('server/discover', unsupported('2026-07-28'));
    expect(methods(asked)).toEqual(['server/discover', 'server/discover']);
    await reply('server/discover', { result: discovered });
    expect(await answer).toMatchObject({ era: 'modern' });
  });

  it.each<[string, object]>([
    ['a version error', unsupported('2027-01-01', '2028-01-01')],
    ['a DiscoverResult', { result: { ...discovered, supportedVersions: ['2027-01-01', '2028-01-01'] } }],
  ])('R44: %s with only unknown versions is an error that names both sets', async (_what, body) => {
    const { reply, answer } = probing();
    await turn();
    await reply('server/discover', body);
    await expect(answer).rejects.toMatchObject({
      code: 'no-common-version',
      data: { server: ['2027-01-01', '2028-01-01'], client: [...modernVersions, ...legacyVersions] },
    });
    await expect(answer).rejects.toThrow(/2027-01-01, 2028-01-01.*2026-07-28.*2024-11-05/);
  });

  it('R44: an InitializeResult of an unknown version is such an error too', async () => {
    const { reply, answer } = probing();
    await turn();
    await reply('server/discover', unknownMethod);
    await reply('initialize', { result: { ...initialized, protocolVersion: '2023-01-01' } });
    await expect(answer).rejects.toMatchObject({ code: 'no-common-version', data: { server: ['2023-01-01'] } });
  });

  it.each(['discover', 'initialize'] as const)('tells when both are refused (%s first)', async first => {
    const { reply, answer } = probing({ first });
    await turn();
    await reply(first === 'discover' ? 'server/discover' : 'initialize', unknownMethod);
    await reply(first === 'discover' ? 'initialize' : 'server/discover', {
      error: { code: -32_000, message: 'not today' },
    });
    await expect(answer).rejects.toMatchObject({ code: 'protocol-error' });
    await expect(answer).rejects.toThrow(/no such method|not today/);
  });
});

describe('what stays on the wire', () => {
  it('swallows the late answer to the other request and keeps everything else for the consumer', async () => {
    const { wire, asked, clock, say, reply, answer } = probing();
    await say({ method: 'notifications/message', params: { n: 1 } });
    await clock.advance();
    await say({ id: 'theirs', method: 'ping' });
    await reply('initialize', { result: initialized });
    await clock.advance();
    await answer;
    await say({ method: 'notifications/message', params: { n: 2 } });
    const heard = heardBy(wire);
    await reply('server/discover', { result: discovered });
    await say({ id: asked[0]?.id, result: {} }); // only the first answer was ours to swallow
    expect(heard).toMatchObject([{ params: { n: 1 } }, { method: 'ping' }, { params: { n: 2 } }, { id: asked[0]?.id }]);
  });

  it('R50: rejects with the reason of an abort and leaves the wire to its owner', async () => {
    const abort = new AbortController();
    const { wire, answer, reply } = probing({ signal: abort.signal });
    const reason = new Error('enough');
    await turn();
    abort.abort(reason);
    await expect(answer).rejects.toBe(reason);
    const heard = heardBy(wire);
    await reply('server/discover', { result: discovered });
    expect(heard).toHaveLength(1);
  });

  it.each([
    [false, 'connection-lost'],
    [true, 'connection-lost'],
  ])('says whether a server that went away had answered before: %s', async (answered, code) => {
    const { answer, reply, exit } = probing();
    await turn();
    if (answered) await reply('server/discover', unknownMethod);
    exit();
    await expect(answer).rejects.toMatchObject({ code, data: { answered } });
  });
});

describe('a revision that was chosen', () => {
  it('R44: with 2025 revisions alone, only initialize is sent, with the first of them', async () => {
    const { asked, clock, reply, answer } = probing({ revisions: { modern: [], legacy: ['2025-06-18'] } });
    await clock.advance();
    expect(asked).toMatchObject([{ method: 'initialize', params: { protocolVersion: '2025-06-18' } }]);
    await reply('initialize', { result: initialized });
    expect(await answer).toMatchObject({ era: 'legacy' });
  });

  it('R44: with 2026-07-28 alone, initialize is never sent, however long the server is silent', async () => {
    const { asked, clock, reply, answer } = probing({ revisions: { modern: ['2026-07-28'], legacy: [] } });
    await clock.advance();
    expect(methods(asked)).toEqual(['server/discover']);
    await reply('server/discover', { result: discovered });
    expect(await answer).toMatchObject({ era: 'modern' });
  });

  it.each([
    ['server/discover', { modern: ['2026-07-28'], legacy: [] }],
    ['initialize', { modern: [], legacy: ['2025-06-18'] }],
  ])('R44: a server that refuses %s is told so, and nothing else is tried', async (method, revisions) => {
    const { asked, reply, answer } = probing({ revisions });
    await turn();
    await reply(method, unknownMethod);
    await expect(answer).rejects.toThrow(/refused the handshake: .*no such method/);
    expect(asked).toHaveLength(1);
  });
});

describe('real servers', () => {
  const probeReal = async (name: string, args: string[] = []): Promise<ProbeAnswer | BothAnswered> => {
    await using server = wiredServer(name, args);
    const signal = AbortSignal.timeout(10_000);
    return await probe(server.wire, { capabilities: {}, first: 'discover', clock: systemClock, signal });
  };

  it('takes a slow modern server for what it is, although initialize was sent meanwhile', async () => {
    expect(await probeReal('slow-modern', ['1500'])).toMatchObject({ era: 'modern', cacheable: true });
  });

  it('sees that a server exited on the unknown first request', async () => {
    await expect(probeReal('exits-on-unknown-first-request')).rejects.toMatchObject({
      code: 'connection-lost',
      data: { answered: false },
    });
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect, connectionRequest } from '../../test/fixtures/connecting.ts';
import { processSurroundings } from '../../test/fixtures/process-surroundings.ts';
import {
  Refusal,
  type Script,
  type ScriptedServer,
  scriptedServer,
  silent,
} from '../../test/fixtures/scripted-server.ts';
import { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { silentLog } from '../core/ports/log.ts';
import { type Verdict, type VerdictKey, verdictsInMemory } from '../core/ports/verdicts.ts';
import type { Opened, OpenRequest } from '../runners/runner.ts';
import type { ProbeAnswer } from '../runners/transport/probe.ts';
import type { Connection } from './connection.ts';
import { type ConnectionRequest, UnfinishedStart } from './connection-request.ts';
import { openConnection } from './open-connection.ts';

const key = 'key' as VerdictKey;
const stay = new AbortController().signal;

afterEach(() => vi.useRealTimers());

const legacyOnly = (legacy = '2025-11-25', more: Script = {}): ScriptedServer =>
  scriptedServer({ modern: [], legacy, ...more });
const open = (server: ScriptedServer, over: Partial<ConnectionRequest> = {}): Promise<Connection> =>
  openConnection(connectionRequest(() => Promise.resolve(server.opened), over));
const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    return await promise;
  } catch (error) {
    return error;
  }
};

describe('agreeing on a version by asking (HTTP)', () => {
  it('R44: a server of 2026-07-28 is asked once', async () => {
    const server = scriptedServer();
    const connection = await open(server);
    expect([connection.era, connection.protocolVersion]).toEqual(['modern', '2026-07-28']);
    expect(server.methods()).toEqual(['server/discover']);
    await connection.close();
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'R44: speaks %s with a server that has only that',
    async version => {
      const server = legacyOnly(version);
      const connection = await open(server);
      expect([connection.era, connection.protocolVersion]).toEqual(['legacy', version]);
      expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      await connection.close();
    },
  );

  it('R44: a server that refuses the first request but names 2026-07-28 is asked again', async () => {
    const meta = { supportedVersions: ['2026-07-28'], capabilities: {} };
    const refuse = vi
      .fn<() => JsonObject>(() => meta)
      .mockImplementationOnce(() => {
        throw new Refusal(-32_022, 'not that one', { supported: ['2026-07-28'] });
      });
    const connection = await open(scriptedServer({ legacy: null, handlers: { 'server/discover': refuse } }));
    expect(connection.protocolVersion).toBe('2026-07-28');
    expect(refuse).toHaveBeenCalledTimes(2);
    await connection.close();
  });

  it.each<[string, Script]>([
    ['in its refusal of every request', { modern: ['1900-01-01'], legacy: null }],
    ['in its answer to initialize', { modern: [], legacy: '1900-01-01' }],
    [
      'in its refusal of initialize',
      {
        modern: [],
        handlers: {
          initialize: () => {
            throw new Refusal(-32_602, 'Unsupported protocol version', { supported: ['1900-01-01'], requested: 'x' });
          },
        },
      },
    ],
    [
      'in its DiscoverResult',
      {
        legacy: null,
        handlers: { 'server/discover': () => ({ supportedVersions: ['1900-01-01'], capabilities: {} }) },
      },
    ],
  ])('R44: names both sets where the server says 1900-01-01 %s', async (_where, script) => {
    const server = scriptedServer(script);
    const failure = await failureOf(open(server));
    expect(failure).toMatchObject({
      code: 'no-common-version',
      data: { server: ['1900-01-01'], client: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] },
    });
    expect(server.closes.graceful).toBe(1);
  });

  it('R44: names both sets where the server only knows a later revision', async () => {
    await expect(open(scriptedServer({ modern: ['2099-01-01'], legacy: null }))).rejects.toMatchObject({
      code: 'no-common-version',
      data: { server: ['2099-01-01'] },
    });
  });

  it('keeps what the server says about itself verbatim, in both eras', async () => {
    const capabilities = { tools: { listChanged: true, own: [1] }, own: { unknown: true } };
    for (const script of [{}, { modern: [] }]) {
      const connection = await open(scriptedServer({ ...script, capabilities, instructions: 'Read me.' }));
      expect(connection.capabilities).toEqual(capabilities);
      expect(connection.serverInfo).toEqual({
        name: 'scripted',
        version: '1',
        title: 'Kept',
        extra: { unknown: true },
      });
      expect(connection.instructions).toBe('Read me.');
      expect(connection.supports('own')).toBe(true);
      await connection.close();
    }
  });

  it('R40: gives every connection an epoch of its own', async () => {
    const epochs = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const connection = await open(scriptedServer());
      epochs.add(connection.epoch);
      await connection.close();
    }
    expect(epochs.size).toBe(5);
  });

  it('tells the phases, and is ready only after the first listing', async () => {
    const phases: string[] = [];
    const connection = await open(scriptedServer(), { onPhase: phase => phases.push(phase) });
    expect(phases).toEqual(['negotiating']);
    expect(connection.state).toEqual({ name: 'discovering' });
    await connection.discover(stay);
    expect(connection.state).toEqual({ name: 'ready' });
    await connection.close();
    expect(connection.state).toEqual({ name: 'closed', reason: 'The server was closed.' });
  });

  it('never probes on the two-endpoint transport of 2024', async () => {
    const server = legacyOnly('2024-11-05', { transport: 'sse' });
    const connection = await open(server);
    expect(server.methods()[0]).toBe('initialize');
    await connection.close();
  });
});

describe('agreeing by what the runner found out (stdio)', () => {
  const probed = (server: ScriptedServer, probe: ProbeAnswer): Promise<Connection> =>
    openConnection(connectionRequest(() => Promise.resolve({ ...server.opened, transport: 'stdio', probe })));
  const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, own: 1 };
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, own: {} },
    serverInfo: { name: 'old' },
  };

  it('asks a modern server nothing more', async () => {
    const server = scriptedServer();
    const connection = await probed(server, { era: 'modern', discover, cacheable: true });
    expect(server.methods()).toEqual([]);
    expect(connection.protocolVersion).toBe('2026-07-28');
    expect(connection.capabilities).toEqual({ tools: {} });
    await connection.close();
  });

  it('does not shake hands twice with a legacy server', async () => {
    const server = legacyOnly();
    const connection = await probed(server, { era: 'legacy', initialize, cacheable: false });
    expect(server.methods()).toEqual(['notifications/initialized']);
    expect(connection.protocolVersion).toBe('2025-06-18');
    expect(connection.serverInfo).toEqual({ name: 'old' });
    expect(connection.capabilities).toEqual({ tools: {}, own: {} });
    await connection.close();
  });

  it('shakes hands where the probe did not', async () => {
    const server = legacyOnly();
    const connection = await probed(server, { era: 'legacy', cacheable: true });
    expect(server.methods()).toEqual(['initialize', 'notifications/initialized']);
    await connection.close();
  });

  it('shakes hands with a server that discovers only older revisions', async () => {
    const server = legacyOnly();
    const old = { ...discover, supportedVersions: ['2099-01-01', '2025-06-18'] };
    const connection = await probed(server, { era: 'modern', discover: old, cacheable: true });
    expect(connection.era).toBe('legacy');
    await connection.close();
  });

  it('R44: gives up without a word where there is no common version', async () => {
    const server = scriptedServer();
    const other = { ...discover, supportedVersions: ['1900-01-01'] };
    await expect(probed(server, { era: 'modern', discover: other, cacheable: true })).rejects.toMatchObject({
      code: 'no-common-version',
    });
    expect(server.methods()).toEqual([]);
    expect(server.closes.graceful).toBe(1);
  });
});

describe('verdicts', () => {
  const found = async (server: ScriptedServer, probe?: ProbeAnswer): Promise<Verdict | undefined> => {
    const verdicts = verdictsInMemory();
    const opened = { ...server.opened, ...(probe && { probe }) };
    const connection = await openConnection(connectionRequest(() => Promise.resolve(opened), { verdicts }));
    await connection.close();
    return await verdicts.get(key);
  };
  const remembering = async (verdict: Verdict): Promise<ReturnType<typeof verdictsInMemory>> => {
    const verdicts = verdictsInMemory();
    await verdicts.put(key, verdict);
    return verdicts;
  };
  const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, stale: true };

  it('are remembered as the server gave them', async () => {
    expect(await found(scriptedServer())).toMatchObject({
      era: 'modern',
      discover: { supportedVersions: ['2026-07-28'] },
    });
    expect(await found(legacyOnly())).toEqual({ era: 'legacy' });
  });

  it('are never remembered where they come from silence', async () => {
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} };
    expect(await found(legacyOnly(), { era: 'legacy', initialize, cacheable: false })).toBeUndefined();
    expect(await found(legacyOnly(), { era: 'legacy', initialize, cacheable: true })).toEqual({ era: 'legacy' });
  });

  it('that cannot be read, kept or forgotten do not fail the start', async () => {
    const broken = (): Promise<never> => Promise.reject(new Error('disk full'));
    const verdicts = { get: broken, put: broken, forget: broken };
    const warn = vi.fn<() => void>();
    const around = processSurroundings({ log: { ...silentLog, warn } });
    const connection = await open(scriptedServer(), { verdicts, around });
    expect(warn).toHaveBeenCalledTimes(2);
    await connection.close();

    const wrong = { ...verdicts, get: () => Promise.resolve({ era: 'modern', discover } as const) };
    const other = await openConnection(
      connectionRequest(() => Promise.resolve(legacyOnly().opened), { verdicts: wrong }),
    );
    expect(other.era).toBe('legacy');
    await other.close();
  });

  it('are handed to the runner', async () => {
    const server = legacyOnly();
    const opening = vi.fn<(request: OpenRequest) => Promise<Opened>>(() => Promise.resolve(server.opened));
    const verdicts = await remembering({ era: 'legacy' });
    const connection = await openConnection(connectionRequest(opening, { verdicts }));
    expect(opening.mock.calls[0]?.[0].verdict).toEqual({ era: 'legacy' });
    await connection.close();
  });

  it('spare a legacy server the question that it does not know', async () => {
    const server = legacyOnly();
    const connection = await open(server, { verdicts: await remembering({ era: 'legacy' }) });
    expect(server.methods()).toEqual(['initialize', 'notifications/initialized']);
    await connection.close();
  });

  it('let a modern server be listed at once: the proof costs no round trip, and the first discover none either', async () => {
    const server = scriptedServer({
      handlers: { 'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }) },
    });
    const written: string[] = [];
    const verdicts = await remembering({ era: 'modern', discover });
    const send = server.wire.send;
    server.wire.send = (frame, options) => {
      if ('method' in frame) written.push(frame.method);
      return Promise.resolve().then(() => send(frame, options));
    };
    const connection = await open(server, { verdicts });
    expect(written).toEqual(['tools/list', 'server/discover']);
    expect((await connection.discover(stay)).tools).toHaveLength(1);
    expect(written).toHaveLength(2);
    expect(await verdicts.get(key)).toMatchObject({ discover: { ttlMs: 0 } });
    expect(await verdicts.get(key)).not.toHaveProperty('discover.stale');
    await connection.discover(stay);
    expect(written).toHaveLength(3);
    await connection.close();
  });

  it('do not hide what a server has learned since', async () => {
    const server = scriptedServer({
      capabilities: { tools: {}, prompts: {} },
      handlers: { 'prompts/list': () => ({ prompts: [{ name: 'new' }] }) },
    });
    const connection = await open(server, { verdicts: await remembering({ era: 'modern', discover }) });
    expect(connection.supports('prompts')).toBe(true);
    expect((await connection.discover(stay)).prompts).toEqual([{ name: 'new' }]);
    await connection.close();
  });

  it.each<[string, Verdict, Script, string]>([
    ['modern', { era: 'modern', discover }, { modern: [] }, '2025-11-25'],
    ['legacy', { era: 'legacy' }, { legacy: null }, '2026-07-28'],
  ])('that are wrong (%s) are forgotten, and the server is asked once more', async (_era, verdict, script, version) => {
    const servers: ScriptedServer[] = [];
    const verdicts = await remembering(verdict);
    const request = connectionRequest(
      () => {
        const server = scriptedServer(script);
        servers.push(server);
        return Promise.resolve(server.opened);
      },
      { verdicts },
    );
    const connection = await openConnection(request);
    expect(connection.protocolVersion).toBe(version);
    expect(servers).toHaveLength(2);
    expect(servers[0]?.closes.graceful).toBe(1);
    expect((await verdicts.get(key))?.era).toBe(connection.era);
    await connection.discover(stay);
    await connection.close();
  });

  it('that turn out wrong only at the first listing are no reason to look for another way', async () => {
    const verdicts = await remembering({ era: 'modern', discover });
    const fallback = vi.fn<() => undefined>(() => undefined);
    const request = connectionRequest(() => Promise.resolve({ ...scriptedServer({ modern: [] }).opened, fallback }), {
      verdicts,
    });
    const connection = await openConnection(request);
    expect(connection.era).toBe('legacy');
    expect(fallback).not.toHaveBeenCalled();
    await connection.close();
  });

  it('are not blamed for ever: the second failure is the failure', async () => {
    const servers: ScriptedServer[] = [];
    const verdicts = await remembering({ era: 'modern', discover });
    const request = connectionRequest(
      () => {
        const server = scriptedServer({ modern: [], legacy: null });
        servers.push(server);
        return Promise.resolve(server.opened);
      },
      { verdicts },
    );
    await expect(openConnection(request)).rejects.toMatchObject({ code: 'protocol-error' });
    expect(servers.map(({ closes }) => closes.graceful)).toEqual([1, 1]);
    expect(await verdicts.get(key)).toBeUndefined();
  });

  it('are not blamed for what asking anew would not change', async () => {
    const twice = { name: 'twice', inputSchema: { type: 'object' } };
    const server = scriptedServer({ handlers: { 'tools/list': () => ({ tools: [twice, twice] }) } });
    const verdicts = await remembering({ era: 'modern', discover });
    await expect(open(server, { verdicts })).rejects.toMatchObject({ code: 'discovery-failed' });
    expect(await verdicts.get(key)).toBeDefined();
    expect(server.closes.graceful).toBe(1);
  });
});

describe('another way to the same server', () => {
  it('is taken where the runner has one; the first way is the runner’s to put away', async () => {
    const first = scriptedServer({ modern: [], legacy: null });
    const second = legacyOnly();
    const fallback = vi.fn<(cause: unknown) => Promise<Opened> | undefined>(() => Promise.resolve(second.opened));
    const connection = await openConnection(connectionRequest(() => Promise.resolve({ ...first.opened, fallback })));
    expect(fallback).toHaveBeenCalledOnce();
    expect(fallback.mock.calls[0]?.[0]).toBeInstanceOf(Error);
    expect(first.closes).toEqual({ graceful: 0, forced: 0 });
    await connection.discover(stay);
    await connection.close();
    expect(second.closes.graceful).toBe(1);
  });

  it('is not there for every failure, and may fail too', async () => {
    const none = scriptedServer({ modern: [], legacy: null });
    const opened = { ...none.opened, fallback: () => undefined };
    await expect(openConnection(connectionRequest(() => Promise.resolve(opened)))).rejects.toMatchObject({
      code: 'protocol-error',
    });
    expect(none.closes.graceful).toBe(1);

    const refused = new LongshoreError('unreachable', 'Nobody listens there either.');
    const broken = { ...scriptedServer({ modern: [], legacy: null }).opened, fallback: () => Promise.reject(refused) };
    await expect(openConnection(connectionRequest(() => Promise.resolve(broken)))).rejects.toBe(refused);
  });

  it('is not looked for by a start that was cancelled', async () => {
    const server = scriptedServer({ handlers: { 'server/discover': () => silent } });
    const fallback = vi.fn<() => undefined>(() => undefined);
    const start = new AbortController();
    const opening = openConnection(
      connectionRequest(() => Promise.resolve({ ...server.opened, fallback }), { signal: start.signal }),
    );
    await vi.waitFor(() => expect(server.methods()).toContain('server/discover'));
    start.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    expect(fallback).not.toHaveBeenCalled();
  });
});

describe('a start that comes to nothing', () => {
  it.each<[string, Script]>([
    ['the first question', { handlers: { 'server/discover': () => silent } }],
    ['initialize', { modern: [], handlers: { initialize: () => silent } }],
  ])('R49: fails after 15 s where the server does not answer %s, and leaves nothing', async (_what, script) => {
    vi.useFakeTimers();
    const server = scriptedServer(script);
    const failed = vi.fn<(error: unknown) => void>();
    const opening = open(server).catch(failed);
    await vi.advanceTimersByTimeAsync(14_999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(600);
    await opening;
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: 'timeout', message: expect.stringContaining('15 s') });
    expect(server.closes.graceful).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R49: counts the time that the runner took, but not that of an image pull', async () => {
    vi.useFakeTimers();
    const server = scriptedServer({ handlers: { 'server/discover': () => silent } });
    const failed = vi.fn<(error: unknown) => void>();
    const wait = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));
    const request = connectionRequest(async ({ onPhase }) => {
      onPhase('pulling');
      await wait(500_000);
      onPhase('starting');
      await wait(10_000);
      return server.opened;
    });
    const opening = openConnection(request).catch(failed);
    await vi.advanceTimersByTimeAsync(514_999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(600);
    await opening;
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: 'timeout' });
  });

  it('R50: a cancelled start returns only when everything that it opened is gone', async () => {
    vi.useFakeTimers();
    const server = scriptedServer({
      handlers: { 'server/discover': () => silent },
      closeGracefully: () => new Promise(resolve => setTimeout(resolve, 400)),
    });
    const start = new AbortController();
    const failed = vi.fn<(error: unknown) => void>();
    const opening = open(server, { signal: start.signal }).catch(failed);
    await vi.advanceTimersByTimeAsync(10);
    start.abort();
    await vi.advanceTimersByTimeAsync(399);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    await opening;
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: 'cancelled' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R50: joins a runner that is still opening', async () => {
    const start = new AbortController();
    let unwound = false;
    const request = connectionRequest(
      async ({ signal }) => {
        await new Promise(resolve => signal.addEventListener('abort', resolve));
        await new Promise(resolve => setTimeout(resolve, 30));
        unwound = true;
        throw signal.reason;
      },
      { signal: start.signal },
    );
    const opening = openConnection(request);
    await new Promise(setImmediate);
    start.abort(new LongshoreError('cancelled', 'Replaced by a reload.'));
    await expect(opening).rejects.toMatchObject({ code: 'cancelled', message: 'Replaced by a reload.' });
    expect(unwound).toBe(true);
  });

  it('opens nothing where it was cancelled before', async () => {
    const opening = vi.fn<() => Promise<Opened>>(() => Promise.resolve(scriptedServer().opened));
    const signal = AbortSignal.abort();
    await expect(openConnection(connectionRequest(opening, { signal }))).rejects.toMatchObject({ code: 'cancelled' });
    expect(opening).not.toHaveBeenCalled();
  });

  it('R50: puts a server away that the runner opened although it was told to stop', async () => {
    const start = new AbortController();
    const server = scriptedServer();
    const opening = openConnection(
      connectionRequest(
        () => {
          start.abort();
          return Promise.resolve(server.opened);
        },
        { signal: start.signal },
      ),
    );
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.closes.graceful).toBe(1);
  });

  it('does not hide behind a cancellation that the runner left something', async () => {
    const start = new AbortController();
    const request = connectionRequest(
      () => {
        start.abort();
        return Promise.reject(new LongshoreError('close-failed', 'The container is still there.'));
      },
      { signal: start.signal },
    );
    await expect(openConnection(request)).rejects.toMatchObject({ code: 'close-failed' });
  });

  it('R54: that could not be put away either can be put away later, with fresh budgets', async () => {
    const stuck = [new Error('no'), new Error('still no')];
    const server = scriptedServer({
      modern: [],
      legacy: null,
      closeGracefully: () => Promise.reject(new Error('not politely')),
      closeForcibly: () => {
        const error = stuck.shift();
        return error === undefined ? Promise.resolve() : Promise.reject(error);
      },
    });
    const failure = await failureOf(open(server));
    expect(failure).toBeInstanceOf(UnfinishedStart);
    expect(failure).toMatchObject({
      code: 'close-failed',
      cause: { errors: [{ code: 'protocol-error' }, { code: 'close-failed' }] },
    });
    const { close } = failure as UnfinishedStart;
    await expect(close()).rejects.toMatchObject({ code: 'close-failed' });
    await close();
    await close();
    expect(server.closes).toEqual({ graceful: 3, forced: 3 });
  });

  it('says how a server went that exited during the handshake, with what it said on stderr', async () => {
    const server: ScriptedServer = scriptedServer({
      handlers: {
        'server/discover': () => {
          server.stderr.push('Traceback', 'KeyError: API_KEY');
          server.exit({ how: 'exited', code: 1 });
          return silent;
        },
      },
    });
    await expect(open(server)).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringContaining('exited with code 1. On stderr it says: KeyError: API_KEY'),
      data: { stderr: ['Traceback', 'KeyError: API_KEY'] },
    });
  });

  it('shows the JSON-RPC error of a server that refuses the handshake', async () => {
    const handlers = {
      initialize: () => {
        throw new Refusal(-32_000, 'license expired', { until: 'yesterday' });
      },
    };
    await expect(open(scriptedServer({ modern: [], handlers }))).rejects.toMatchObject({
      code: 'protocol-error',
      message: 'The server refused the handshake: license expired',
      data: { error: { code: -32_000, message: 'license expired', data: { until: 'yesterday' } } },
    });
  });

  it('asks the wire what an error of its own means', async () => {
    const server = scriptedServer();
    const meaning = new LongshoreError('needs-login', 'Log in first.');
    server.wire.send = () => Promise.reject(new Error('401'));
    server.wire.explain = () => meaning;
    await expect(open(server)).rejects.toBe(meaning);
  });
});

describe('many starts', () => {
  it('R50: leave nothing behind, at whatever moment they are cancelled', async () => {
    for (let delay = 0; delay < 60; delay++) {
      const server = scriptedServer({ modern: delay % 2 === 0 ? [] : ['2026-07-28'] });
      let opens = 0;
      const opening = (): Promise<Opened> => {
        opens++;
        return Promise.resolve(server.opened);
      };
      const start = new AbortController();
      const outcome = failureOf(
        connect(opening, { signal: start.signal }).then(({ connection }) => connection.close()),
      );
      for (let tick = 0; tick < delay; tick++) await Promise.resolve();
      start.abort();
      await outcome;
      expect([delay, server.closes.graceful]).toEqual([delay, opens]);
    }
  });
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Connected, connect } from '../../test/fixtures/connecting.ts';
import { fixtureSpec, processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import { type Script, scriptedServer } from '../../test/fixtures/scripted-server.ts';
import { fixtureServer } from '../../test/fixtures/wired-server.ts';
import type { JsonObject } from '../core/json.ts';
import type { CallClient } from '../core/ports/call-client.ts';
import { revisionsOf } from '../core/protocol-versions.ts';
import { openServer } from '../runners/index.ts';
import type { ConnectionRequest } from './connection-request.ts';

const stay = new AbortController().signal;
const around = processSurroundings();
const opened: Connected[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ connection }) => connection.close()));
  expect(await survivors(around)).toEqual([]);
});

/** A 2025 client that can be asked for everything. */
const asked: CallClient = {
  identity: 'client',
  era: 'legacy',
  capabilities: { elicitation: {}, sampling: {}, roots: {} },
  ask: questions => Promise.resolve(Object.fromEntries(Object.keys(questions).map(key => [key, { answered: true }]))),
};
const modernClient: CallClient = { ...asked, era: 'modern' };
const mute: CallClient = { ...asked, capabilities: {} };

async function start(options: readonly string[], over: Partial<ConnectionRequest> = {}): Promise<Connected> {
  const spec = fixtureSpec('both-eras', { args: [fixtureServer('both-eras'), ...options] });
  const declares: JsonObject = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const started = await connect(request => openServer(spec, request), {
    around,
    declares,
    olderSide: 'instead',
    ...over,
  });
  opened.push(started);
  return started;
}

/** As a dispatcher does: what the client needs is made ready before the call. */
async function callAs({ connection, call }: Connected, client: CallClient | undefined, name: string, args = {}) {
  await connection.prepare?.(client, stay);
  return await call(name, args, client && { client });
}

const texts = (result: JsonObject): unknown => (result['content'] as JsonObject[])[0]?.['text'];

describe('P1: a server of both eras, as a process', () => {
  it.each(['elicitation', 'sampling', 'roots'])(
    'asks a 2025 client for %s, which it only can on a 2025 revision',
    async name => {
      const server = await start([]);
      expect(server.connection.protocolVersion).toBe('2026-07-28');
      expect(texts(await callAs(server, asked, name))).toBe('{"answered":true}');
      expect(server.connection.protocolVersion).toBe('2025-11-25');
      expect((await server.connection.discover(stay)).said?.olderEra).toEqual({ found: 'client' });
      await vi.waitFor(async () => expect(await survivors(around)).toHaveLength(1), { timeout: 10_000 });
    },
  );

  it.each([
    ['nobody', undefined],
    ['a client of 2026-07-28', modernClient],
    ['a 2025 client that can be asked for nothing', mute],
  ])('stays on 2026-07-28 for %s', async (_who, client) => {
    const server = await start([]);
    expect(texts(await callAs(server, client, 'era'))).toBe('modern');
    expect(server.connection.prepare?.(client, stay)).toBeUndefined();
  });

  it('moves there for everybody once a tool was refused the question, and does not repeat that call', async () => {
    const server = await start([]);
    await expect(callAs(server, modernClient, 'elicitation')).rejects.toMatchObject({ code: 'server-error' });
    expect(texts(await callAs(server, modernClient, 'elicitation'))).toBe('{"answered":true}');
    expect((await server.connection.discover(stay)).said?.olderEra).toEqual({ found: 'refused' });
  });

  it('lets a running call end where it runs', async () => {
    const server = await start([]);
    const running = callAs(server, undefined, 'slow', { milliseconds: 1_500 });
    await vi.waitFor(() => expect(server.connection.state.name).toBe('ready'));
    expect(texts(await callAs(server, asked, 'era'))).toBe('legacy');
    expect(texts(await running)).toBe('slow');
    await vi.waitFor(async () => expect(await survivors(around)).toHaveLength(1), { timeout: 10_000 });
  });

  it.each([
    ['nothing', 'tools=0', 'legacy'],
    ['everything', 'tools=7', 'modern'],
  ])('is spoken to where it lists more: %s on 2026-07-28', async (_what, option, era) => {
    const server = await start([option]);
    expect(server.connection.era).toBe(era);
    expect((await server.connection.discover(stay)).tools).toHaveLength(7);
  });

  it('is opened on the side that was learned, without asking again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-eras-'));
    const log = join(folder, 'starts');
    const server = await start([`log=${log}`], { olderEra: { found: 'refused' } });
    expect(server.connection.era).toBe('legacy');
    expect((await server.connection.discover(stay)).said?.olderEra).toEqual({ found: 'refused' });
    expect((await readFile(log, 'utf8')).split('\n')).toHaveLength(2);
    await rm(folder, { recursive: true });
  });

  it('is asked anew where what was learned is no longer so', async () => {
    const server = await start(['eras=modern'], { olderEra: { found: 'client' } });
    expect(server.connection.protocolVersion).toBe('2026-07-28');
  });

  it('is not tried again where it has no older side; its calls run', async () => {
    const server = await start(['eras=modern']);
    expect(texts(await callAs(server, asked, 'era'))).toBe('modern');
    expect(server.connection.prepare?.(asked, stay)).toBeUndefined();
    expect((await server.connection.discover(stay)).said?.olderEra).toEqual({ found: 'absent' });
  });

  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2026-07-28', '2026-07-28'],
  ])('speaks the one revision that its setting names: %s', async (protocol, spoken) => {
    const server = await start([], { revisions: revisionsOf(protocol) });
    expect(server.connection.protocolVersion).toBe(spoken);
    expect(server.connection.prepare?.(asked, stay)).toBeUndefined();
  });

  it('says what the setting asked for where the server does not speak that', async () => {
    await expect(start(['eras=legacy'], { revisions: revisionsOf('2026-07-28') })).rejects.toThrow(/handshake/);
  });

  it('ends both sides when it is closed in the midst of a move', async () => {
    const server = await start([]);
    const moving = server.connection.prepare?.(asked, stay);
    await server.connection.close();
    await moving;
    expect(await survivors(around)).toEqual([]);
  });
});

describe('Q1: a server of both eras that starts slowly', () => {
  it.each([
    ['at once', 0],
    ['late', 1_600],
  ])('is spoken to on the same revision, whether it answers %s', async (_when, delay) => {
    const eras = [];
    for (const option of ['', 'both=1']) {
      const server = await start([`delay=${delay}`, option]);
      eras.push(server.connection.protocolVersion, texts(await callAs(server, undefined, 'era')));
    }
    expect(eras).toEqual(['2026-07-28', 'modern', '2026-07-28', 'modern']);
  });
});

describe('P1: a remote server of both eras', () => {
  const tool = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });
  const remote = async (modern: readonly string[], legacy: readonly string[]) => {
    const servers: ReturnType<typeof scriptedServer>[] = [];
    const script: Script = {
      handlers: {
        'tools/list': ({ _meta }) => ({
          tools: (_meta?.['io.modelcontextprotocol/protocolVersion'] === undefined ? legacy : modern).map(tool),
        }),
      },
    };
    const started = await connect(
      () => {
        const server = scriptedServer(script);
        servers.push(server);
        return Promise.resolve(server.opened);
      },
      { olderSide: 'beside' },
    );
    opened.push(started);
    return { started, servers };
  };

  it('is spoken to on both revisions side by side, by what each client can do', async () => {
    const { started, servers } = await remote(['a'], ['a']);
    expect(servers).toHaveLength(2);
    expect(servers[1]?.closes.graceful).toBe(1);
    await callAs(started, asked, 'a');
    await callAs(started, modernClient, 'a');
    expect(servers.map(server => server.methods().filter(method => method === 'tools/call').length)).toEqual([1, 0, 1]);
    expect(started.connection.protocolVersion).toBe('2026-07-28');
    expect((await started.connection.discover(stay)).said?.olderEra).toEqual({ found: 'beside' });
  });

  it('is spoken to on the older one alone where that lists more, be it by one tool', async () => {
    const { started } = await remote(['a'], ['a', 'b']);
    expect(started.connection.era).toBe('legacy');
    expect((await started.connection.discover(stay)).said?.olderEra).toEqual({ found: 'lists-more' });
  });

  it('calls a tool that only the newer one has on the newer one', async () => {
    const { started, servers } = await remote(['a', 'new'], ['a']);
    await callAs(started, asked, 'new');
    expect(servers[0]?.methods()).toContain('tools/call');
  });

  it('opens the older side again once that was lost', async () => {
    const { started, servers } = await remote(['a'], ['a']);
    await callAs(started, asked, 'a');
    servers[2]?.exit({ how: 'closed' });
    await vi.waitFor(() => expect(started.connection.prepare?.(asked, stay)).toBeDefined());
    await callAs(started, asked, 'a');
    expect(started.connection.state.name).toBe('ready');
  });
});

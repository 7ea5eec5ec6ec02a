import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ConnectionRequest } from '../../src/connections/connection-request.ts';
import { openConnection } from '../../src/connections/open-connection.ts';
import { defaultDeadlines } from '../../src/core/deadlines.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type VerdictKey, verdictsInMemory } from '../../src/core/ports/verdicts.ts';
import type { Progress } from '../../src/core/words.ts';
import { type ProcessSpec, processRunner } from '../../src/runners/process.ts';
import type { OpenRequest } from '../../src/runners/runner.ts';
import { answeringClient } from '../fixtures/answering-client.ts';
import { type Connected, connect, connectionRequest } from '../fixtures/connecting.ts';
import { fixtureSpec, processSurroundings, survivors } from '../fixtures/process-surroundings.ts';
import { fixtureServer } from '../fixtures/wired-server.ts';

const stay = new AbortController().signal;

/** A fixture program with arguments. */
function program(name: string, ...args: readonly string[]): ProcessSpec {
  return fixtureSpec(name, { args: [fixtureServer(name), ...args] });
}

/** A server of node_modules, as its command would run it. */
function installed(name: string, ...args: readonly string[]): ProcessSpec {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return {
    kind: 'process',
    command: process.execPath,
    args: [join(dirname(manifest), 'dist/index.js'), ...args],
    env: {},
  };
}

/** Runs a server while the test's own part runs, and shows that nothing of it is left and nothing recorded. */
async function withServer(
  spec: ProcessSpec,
  test: (connected: Connected) => Promise<void>,
  over: Partial<ConnectionRequest> = {},
): Promise<void> {
  const around = processSurroundings();
  const connected = await connect(request => processRunner.open(spec, request), { around, ...over });
  try {
    await test(connected);
  } finally {
    await connected.connection.close();
  }
  expect(await survivors(around)).toEqual([]);
  expect(await around.ledger.list()).toEqual([]);
}

/** The same for a start that fails. */
async function failing(spec: ProcessSpec, over: Partial<ConnectionRequest> = {}): Promise<unknown> {
  const around = processSurroundings();
  try {
    await connect(request => processRunner.open(spec, request), { around, ...over });
    throw new Error('it started');
  } catch (error) {
    return error;
  } finally {
    await vi.waitFor(async () => expect(await survivors(around)).toEqual([]));
  }
}

const names = async ({ connection }: Connected): Promise<readonly string[]> =>
  (await connection.discover(stay)).tools.map(tool => tool.name);

describe.each([
  ['2026-07-28', []],
  ['2025-11-25', ['legacy']],
])('a real server of %s', (version, era) => {
  it('R48: lists three pages, one of them by the empty cursor', () =>
    withServer(program('lists', 'pages', ...era), async connected => {
      expect(connected.connection.protocolVersion).toBe(version);
      expect(await names(connected)).toEqual(['a', 'b', 'c']);
    }));

  it('R48: that goes round in circles, or lists a name twice, is not loaded', async () => {
    // `connect` closes nothing when its listing fails, so the connection is opened here.
    for (const [way, message] of [
      ['repeated-cursor', 'repeated cursor'],
      ['twice', '"one" is listed twice'],
    ] as const) {
      const around = processSurroundings();
      const open = (request: OpenRequest) => processRunner.open(program('lists', way, ...era), request);
      const connection = await openConnection(connectionRequest(open, { around }));
      await expect(connection.discover(stay)).rejects.toMatchObject({
        code: 'discovery-failed',
        message: expect.stringContaining(message),
      });
      await connection.close();
      expect(await survivors(around)).toEqual([]);
    }
  });

  it('loses only its malformed tools, and none for what is null', () =>
    withServer(program('lists', 'malformed', ...era), async connected => {
      expect(await names(connected)).toEqual(['good', 'null', 'better']);
      expect(connected.connection.diagnostics().map(({ code }) => code)).toEqual([
        'malformed-definition',
        'malformed-definition',
      ]);
    }));

  it('has its definitions passed on to the byte, whatever is in them', () =>
    withServer(program('lists', 'unknown', ...era), async ({ connection }) => {
      const { tools } = await connection.discover(stay);
      expect(Object.keys(tools[0] ?? {})).toEqual([
        ...['zebra', 'name', 'title', 'icons', 'annotations', 'inputSchema', 'outputSchema', 'execution', '_meta'],
      ]);
      expect(JSON.stringify(tools[0]?.inputSchema)).toBe(
        '{"own":true,"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"z":{"type":"number","x-own":1},"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"const":1}}}',
      );
      expect(tools[0]?.execution).toEqual({ taskSupport: 'optional' });
    }));

  it('may have no tools at all', () =>
    withServer(program('lists', 'none', ...era), async connected => expect(await names(connected)).toEqual([])));

  it('has its results passed on to the byte, whatever is in them', () =>
    withServer(program('odd-results', ...era), async ({ call }) => {
      expect(await call('unknown-content')).toMatchObject({
        content: [
          { type: 'hologram', depth: 3, parts: [{}] },
          { type: 'text', text: 'x', own: 1 },
        ],
        own: [1],
      });
      expect(await call('bad-structure')).toMatchObject({ structuredContent: { celsius: 'warm', own: null } });
      expect(await call('list-structure')).toMatchObject({ structuredContent: [1, null, 'x'] });
      expect(await call('no-content')).toMatchObject({ own: true });
      expect(await call('failed')).toMatchObject({ isError: true });
      const exact: JsonObject = { z: 1, content: [], a: { _: [null, 1e21, 'é\u2028'] } };
      expect(JSON.stringify(await call('exact', exact))).toContain(JSON.stringify(exact).slice(1, -1));
    }));

  it('tells that its list changed (R43)', () =>
    withServer(program('changing', ...era), async connected => {
      const changed = vi.fn<() => void>();
      connected.connection.onListChanged(changed);
      await connected.call('grow');
      await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 10_000);
      expect(await names(connected)).toEqual(['grow', 'grown-1']);
    }));

  it('R44: that has no revision in common with us is told so, and ended', async () => {
    expect(await failing(program('only-1900', ...era))).toMatchObject({
      code: 'no-common-version',
      data: { server: ['1900-01-01'] },
    });
  });
});

describe('a real server', () => {
  it(
    'answers with 8 MiB',
    () =>
      withServer(program('big-result'), async ({ call }) => {
        const { content } = await call('big');
        expect(JSON.stringify(content)).toHaveLength(8 * 1024 * 1024 + '[{"type":"text","text":""}]'.length);
      }),
    60_000,
  );

  it(
    'may work far longer than the idle limit, as long as it tells progress',
    () =>
      withServer(program('long-call', '40', '100'), async ({ call }) => {
        const heard: Progress[] = [];
        // 4 s of work, 2 s without progress allowed.
        const result = await call('work', {}, { idleTimeout: 2000, onprogress: progress => heard.push(progress) });
        expect(result).toMatchObject({ content: [{ text: 'done' }] });
        expect(heard).toEqual(Array.from({ length: 40 }, (_, tick) => ({ progress: tick + 1, total: 40 })));
      }),
    60_000,
  );

  it('hears which limit of a call was reached, and that its caller gave up', () =>
    withServer(program('long-call', '1', '1'), async ({ call }) => {
      await expect(call('hang', {}, { idleTimeout: 50 })).rejects.toMatchObject({
        code: 'timeout',
        data: { limit: 'idle', after: 50 },
      });
      const caller = new AbortController();
      const given = call('hang', {}, { signal: caller.signal });
      setTimeout(() => caller.abort(), 20);
      await expect(given).rejects.toMatchObject({ code: 'cancelled' });
      expect(await call('cancelled')).toMatchObject({
        cancelled: ['No progress for 50 ms.', 'The caller cancelled the call.'],
      });
    }));

  it('asks whom it may, and learns what it may not ask', async () => {
    const client = answeringClient(() => ({ action: 'accept', content: { name: 'Ada' } }), {
      capabilities: { elicitation: { form: {} } },
    });
    await withServer(
      program('asks'),
      async ({ call }) => {
        expect(await call('elicitation')).toMatchObject({ answer: { action: 'accept', content: { name: 'Ada' } } });
        expect(client.asked).toMatchObject([
          { method: 'elicitation/create', params: { message: 'Who?', own: { kept: 1 } } },
        ]);
        expect(await call('roots')).toMatchObject({ error: { code: -32_601 } });
        expect(await call('sampling')).toMatchObject({ error: { code: -32_601 } });
      },
      { client },
    );
  });

  it('that crashes in a call leaves an unknown outcome, its last words, and nothing else', async () => {
    const around = processSurroundings();
    const { call, connection } = await connect(request => processRunner.open(program('crash-mid-call'), request), {
      around,
    });
    await expect(call('crash')).rejects.toMatchObject({ code: 'unknown-outcome' });
    await expect(connection.ended).resolves.toEqual({
      reason: 'The server was ended by SIGABRT. On stderr it says: about to crash',
    });
    await expect(call('crash')).rejects.toMatchObject({ code: 'connection-lost' });
    await connection.close();
    expect(await survivors(around)).toEqual([]);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('that answers and is gone in the same breath has answered', async () => {
    for (let round = 0; round < 10; round++) {
      const { call, connection } = await connect(request => processRunner.open(program('last-answer'), request));
      const result = call('bye');
      await new Promise(setImmediate);
      // We are busy while it answers and goes, and learn of both at once.
      if (round % 2 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      await expect(result).resolves.toMatchObject({ last: true });
      await expect(connection.ended).resolves.toEqual({ reason: 'The server exited with code 0.' });
      await connection.close();
    }
  }, 60_000);

  it('R50: is gone when its cancelled start returns, at whatever moment it was cancelled', async () => {
    for (const delay of [0, 20, 40, 80, 160, 320]) {
      const around = processSurroundings();
      const start = new AbortController();
      const opening = connect(request => processRunner.open(program('slow-modern'), request), {
        around,
        signal: start.signal,
      });
      setTimeout(() => start.abort(), delay);
      const outcome = await opening.then(
        ({ connection }) => connection.close(),
        (error: unknown) => error,
      );
      expect([undefined, 'cancelled']).toContain((outcome as { code?: string } | undefined)?.code);
      expect(await survivors(around)).toEqual([]);
    }
  }, 60_000);

  it('is remembered as what it is, but not from its silence', async () => {
    const learned = async (spec: ProcessSpec): Promise<unknown> => {
      const verdicts = verdictsInMemory();
      await withServer(spec, () => Promise.resolve(), { verdicts });
      return await verdicts.get('key' as VerdictKey);
    };
    expect(await learned(program('lists', 'pages'))).toMatchObject({ era: 'modern' });
    expect(await learned(program('lists', 'pages', 'legacy'))).toEqual({ era: 'legacy' });
  });

  it.each(['modern-stdio', 'late-modern-stdio'])(
    'of the official SDK (%s) asks its questions in the way of the era that was agreed',
    async name => {
      const client = answeringClient(() => ({ action: 'accept', content: { name: 'Ada' } }));
      await withServer(
        program(name),
        async ({ call, connection }) => {
          expect(connection.instructions).toBe('Ask echo first.');
          expect(await call('greet')).toMatchObject({ content: [{ text: 'Hello Ada' }] });
          expect(await call('weather', { city: 'Kiel' })).toMatchObject({
            structuredContent: { city: 'Kiel', celsius: 21 },
          });
        },
        { client },
      );
    },
    60_000,
  );
});

describe('the reference servers', () => {
  it(
    'everything: tools, resources, prompts, structured content, progress, errors',
    () =>
      withServer(installed('server-everything', 'stdio'), async ({ connection, call }) => {
        expect(connection.era).toBe('legacy');
        const { tools, resources, prompts } = await connection.discover(stay);
        expect(tools.length).toBeGreaterThanOrEqual(10);
        expect(resources.length).toBeGreaterThan(0);
        expect(prompts.length).toBeGreaterThan(0);
        expect(await call('echo', { message: 'ahoy' })).toMatchObject({
          content: [{ type: 'text', text: 'Echo: ahoy' }],
        });
        const heard: Progress[] = [];
        const onprogress = (progress: Progress): void => void heard.push(progress);
        const name = tools.find(tool => /long-?running/i.test(tool.name))?.name ?? '';
        await call(name, { duration: 1, steps: 4 }, { onprogress });
        expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3, 4]);
        const uri = resources[0]?.uri as string;
        expect(await call(uri, {}, { method: 'resources/read' })).toMatchObject({ contents: [{ uri }] });
        expect(await call('simple-prompt', {}, { method: 'prompts/get' })).toHaveProperty('messages');
        expect(await call('no-such-tool')).toMatchObject({ isError: true });
      }),
    60_000,
  );

  it('filesystem: reads and writes where it may, and says where it may not', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'longshore-')));
    try {
      await writeFile(join(folder, 'a.txt'), 'ahoy');
      await withServer(installed('server-filesystem', folder), async ({ call }) => {
        expect(await call('read_text_file', { path: join(folder, 'a.txt') })).toMatchObject({
          content: [{ text: 'ahoy' }],
        });
        await call('write_file', { path: join(folder, 'b.txt'), content: 'aye' });
        expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('aye');
        expect(await call('read_text_file', { path: '/etc/hostname' })).toMatchObject({ isError: true });
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 60_000);

  it('memory: keeps what it is told', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-'));
    try {
      const spec = { ...installed('server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
      await withServer(spec, async ({ call }) => {
        await call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] });
        expect(JSON.stringify(await call('read_graph'))).toContain('Ada');
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 60_000);

  it(
    'sequential-thinking: thinks',
    () =>
      withServer(installed('server-sequential-thinking'), async ({ call }) => {
        const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
        expect(await call('sequentialthinking', thought)).toHaveProperty('content');
      }),
    60_000,
  );
});

describe('deadlines of a real start', () => {
  it('R49: a server that never answers is given up, and is gone', async () => {
    const failure = await failing(program('never-answers'), {
      deadlines: { ...defaultDeadlines, open: 1500 },
      openWithin: 1500,
    });
    expect(failure).toMatchObject({ code: 'timeout' });
  }, 30_000);
});

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect, connectionRequest, connectTo } from '../../test/fixtures/connecting.ts';
import {
  type Asked,
  Refusal,
  type Script,
  type ScriptedServer,
  scriptedServer,
  silent,
} from '../../test/fixtures/scripted-server.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Discovery } from './connection.ts';
import { openConnection } from './open-connection.ts';

const stay = new AbortController().signal;
const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, inputSchema: { type: 'object' }, ...more });
const everything = { tools: {}, resources: {}, prompts: {} };

afterEach(() => vi.useRealTimers());

/** A list in pages; `undefined` is the first page's cursor. */
function pages(name: string, of: ReadonlyMap<unknown, { items: readonly JsonValue[]; next?: unknown }>) {
  return ({ cursor }: Asked['params']): JsonObject => {
    const page = of.get(cursor);
    if (page === undefined) throw new Refusal(-32_602, `no such cursor: ${String(cursor)}`);
    return { [name]: page.items, ...(page.next !== undefined && { nextCursor: page.next as JsonValue }) };
  };
}

async function discover(script: Script): Promise<Discovery & { readonly server: ScriptedServer }> {
  const server = scriptedServer(script);
  const connection = await openConnection(connectionRequest(() => Promise.resolve(server.opened)));
  try {
    return { ...(await connection.discover(stay)), server };
  } finally {
    await connection.close();
  }
}

const listing = (...tools: readonly JsonValue[]): Script => ({ handlers: { 'tools/list': () => ({ tools }) } });

describe.each<[string, Script]>([
  ['modern', {}],
  ['legacy', { modern: [] }],
])('discovery on a %s server', (_era, era) => {
  it('R48: follows three pages, one of them with the empty cursor', async () => {
    const list = pages(
      'tools',
      new Map<unknown, { items: readonly JsonValue[]; next?: unknown }>([
        [undefined, { items: [tool('a')], next: '' }],
        ['', { items: [tool('b')], next: 'last' }],
        ['last', { items: [tool('c')] }],
      ]),
    );
    const { tools, server } = await discover({ ...era, handlers: { 'tools/list': list } });
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(server.methods().filter(method => method === 'tools/list')).toHaveLength(3);
  });

  it.each([
    ['A → B → A', ['A', 'B', 'A']],
    ['the same again', ['A', 'A']],
    ['the empty one twice', ['', 'x', '']],
  ])('R48: fails with "repeated cursor" on %s', async (_what, cursors) => {
    let page = 0;
    const list = (): JsonObject => ({ tools: [tool(`t${page}`)], nextCursor: cursors[page++] });
    await expect(discover({ ...era, handlers: { 'tools/list': list } })).rejects.toMatchObject({
      code: 'discovery-failed',
      message: expect.stringContaining('repeated cursor'),
    });
  });

  it('R48: gives up after 1,000 pages, and after 10,000 tools', async () => {
    let page = 0;
    const endless = (): JsonObject => ({ tools: [], nextCursor: `page-${page++}` });
    await expect(discover({ ...era, handlers: { 'tools/list': endless } })).rejects.toThrow('more than 1000 pages');
    expect(page).toBe(1000);
    const many = Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`));
    await expect(discover({ ...era, ...listing(...many) })).rejects.toThrow('more than 10000 tools');
  });

  it('R48: a tool that is listed twice is an error that names it', async () => {
    await expect(discover({ ...era, ...listing(tool('one'), tool('two'), tool('one')) })).rejects.toMatchObject({
      code: 'discovery-failed',
      message: expect.stringContaining('"one" is listed twice'),
    });
  });

  it('R48: a server that knows no templates has none, and that is no fault; one that refuses them is told of', async () => {
    const lists = { 'resources/list': () => ({ resources: [] }) };
    const capabilities = { resources: {} };
    const linked = [expect.objectContaining({ uriTemplate: '{+uri}', name: 'linked_resource' })];
    const plain = await discover({ ...era, capabilities, handlers: lists });
    expect(plain).toMatchObject({ templates: linked, diagnostics: [] });
    const refuse = () => {
      throw new Refusal(-32_603, 'out of order');
    };
    const broken = await discover({
      ...era,
      capabilities,
      handlers: { ...lists, 'resources/templates/list': refuse },
    });
    expect(broken).toMatchObject({ templates: linked, diagnostics: [{ code: 'templates-unavailable' }] });
  });

  it('R48: lists templates as they are, and where a server has one for everything, ours is superfluous', async () => {
    const own = { name: 'any', uriTemplate: '{+uri}', own: [1] };
    const bad = { name: 'no template' };
    const handlers = {
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => ({ resourceTemplates: [own, bad, own] }),
    };
    const { templates, diagnostics } = await discover({ ...era, capabilities: { resources: {} }, handlers });
    expect(templates).toEqual([own]);
    expect(diagnostics.map(({ code }) => code).sort()).toEqual(['duplicate-definition', 'malformed-definition']);
  });

  it('R48: a server without tools has none, and is not asked for them', async () => {
    const { tools, resources, prompts, diagnostics, server } = await discover({ ...era, capabilities: {} });
    expect({ tools, resources, prompts, diagnostics }).toEqual({
      tools: [],
      resources: [],
      prompts: [],
      diagnostics: [],
    });
    expect(server.methods().filter(method => method.endsWith('/list'))).toEqual([]);
  });

  it('gives definitions verbatim, with everything that is unknown to us', async () => {
    const definition = tool('odd', {
      execution: { taskSupport: 'optional', own: 1 },
      annotations: { readOnlyHint: true, own: { deep: [1] } },
      icons: [{ src: 'data:,', own: null }],
      inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', own: [{}], properties: {} },
      outputSchema: { $ref: 'https://example.test/never-fetched.json' },
      _meta: { a: { b: [1, 'x', null] } },
      own: { z: 1, a: 2 },
    });
    const { tools } = await discover({ ...era, ...listing(definition) });
    expect(JSON.stringify(tools)).toBe(JSON.stringify([definition]));
  });

  it.each<[string, JsonValue, RegExp]>([
    ['without a name', { inputSchema: { type: 'object' } }, /without a name was left out: name/],
    ['with a name that is no text', { name: 5, inputSchema: { type: 'object' } }, /without a name was left out: name/],
    ['that is no object', 'bad', /without a name was left out/],
    ['that is null', null, /without a name was left out/],
  ])('sets a tool aside %s, and keeps the others', async (_what, bad, message) => {
    const { tools, diagnostics } = await discover({ ...era, ...listing(tool('good'), bad, tool('better')) });
    expect(tools.map(({ name }) => name)).toEqual(['good', 'better']);
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'malformed-definition', message: expect.stringMatching(message) }),
    ]);
  });

  it.each<[string, JsonObject, JsonObject, string | undefined]>([
    [
      'without inputSchema',
      { name: 'odd' },
      tool('odd', { inputSchema: { type: 'object', properties: {} } }),
      undefined,
    ],
    ['with a null description', tool('odd', { description: null }), tool('odd'), undefined],
    ['with an empty name', tool(''), tool(''), undefined],
    [
      'with an inputSchema of no object',
      { name: 'odd', inputSchema: { type: 'array' } },
      tool('odd'),
      'inputSchema.type',
    ],
    [
      'with a theme of its own',
      tool('odd', { icons: [{ src: 'x', theme: 'blue' }] }),
      tool('odd', { icons: [{ src: 'x' }] }),
      'icons.0.theme',
    ],
  ])('R37: keeps a tool %s, and tells what was left out', async (_what, odd, kept, place) => {
    const { tools, diagnostics } = await discover({ ...era, ...listing(tool('good'), odd) });
    expect(tools[1]).toEqual(kept);
    const told = diagnostics.map(({ code, message }) => `${code} ${message}`);
    expect(told).toEqual(place === undefined ? [] : [told[0]]);
    expect(told.join()).toContain(
      place === undefined ? '' : `odd-definition Of the tool "odd" clients are not shown as it came: ${place}.`,
    );
  });

  it('tells of the first odd definitions one by one, and of the others together', async () => {
    const odd = Array.from({ length: 50 }, (_, index) => tool(`odd${index}`, { title: index }));
    const { tools, diagnostics } = await discover({ ...era, ...listing(...odd) });
    expect(tools).toHaveLength(50);
    expect(diagnostics).toHaveLength(21);
    expect(diagnostics.at(-1)?.message).toContain('30 more');
  });

  it('R48: loses no good tool to bad ones, in whatever order and page they come', async () => {
    const good = fc.integer({ min: 0, max: 999 }).map(number => tool(`t${number}`, { number }));
    const bad = fc.constantFrom<JsonValue>({ name: 7 }, null, 5, [], { inputSchema: { type: 'object' } });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(good, { selector: item => item.name, maxLength: 8 }),
        fc.array(bad, { maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(fc.nat()),
        async (goods, bads, perPage, positions) => {
          const all: JsonValue[] = [...goods];
          for (const item of bads) all.splice((positions.next().value ?? 0) % (all.length + 1), 0, item);
          const list = ({ cursor = '0' }: Asked['params']): JsonObject => {
            const from = Number(cursor);
            const next = from + perPage < all.length ? { nextCursor: String(from + perPage) } : {};
            return { tools: all.slice(from, from + perPage), ...next };
          };
          const { tools, diagnostics } = await discover({ ...era, handlers: { 'tools/list': list } });
          expect(tools).toEqual(goods);
          expect(diagnostics).toHaveLength(bads.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each<[string, JsonValue | undefined]>([
    ['no list', undefined],
    ['null', null],
    ['an object', {}],
  ])('fails where a page has %s of tools', async (_what, tools) => {
    const handlers = { 'tools/list': () => ({ tools }) };
    await expect(discover({ ...era, handlers })).rejects.toMatchObject({ code: 'discovery-failed' });
  });

  it('B23: says on which page the cursor was repeated, and whose fault it is', async () => {
    const list = (): JsonObject => ({ tools: [tool('a')], nextCursor: 'again' });
    const failing = discover({ ...era, handlers: { 'tools/list': list } });
    await expect(failing).rejects.toThrow(/page 2 has the repeated cursor "again".*fault of the server/);
  });

  it('S9: refuses lists that are too long in all, whatever their pages are', async () => {
    const big = 'x'.repeat(8 * 1024 * 1024);
    let page = 0;
    const list = (): JsonObject => ({ tools: [tool(`t${++page}`, { description: big })], nextCursor: `${page}` });
    await expect(discover({ ...era, handlers: { 'tools/list': list } })).rejects.toMatchObject({
      code: 'discovery-failed',
      message: expect.stringContaining('characters in all'),
    });
    expect(page).toBeLessThan(6);
  });

  it('S9: lists and refuses any number of entries, and tells of some only', async () => {
    const odd = Array.from({ length: 9_000 }, (_, index) =>
      index % 2 === 0 ? null : { uri: 'a:b', name: 'x'.repeat(100) },
    );
    const handlers = { 'tools/list': () => ({ tools: [] }), 'resources/list': () => ({ resources: odd }) };
    const found = await discover({ ...era, capabilities: { tools: {}, resources: {} }, handlers });
    expect(found.resources).toHaveLength(1);
    expect(found.diagnostics.length).toBeLessThan(100);
    const many = { 'tools/list': () => ({ tools: Array.from({ length: 200_000 }, () => null) }) };
    await expect(discover({ ...era, handlers: many })).rejects.toThrow('more than 10000 tools');
  });

  it.each(['the first page again', 'an error'])(
    'P11: takes the empty cursor of a server of 2025 for none where it leads to %s',
    async where => {
      const list = ({ cursor }: Asked['params']): JsonObject => {
        if (cursor === '' && where === 'an error') throw new Refusal(-32_602, 'Invalid cursor');
        return { tools: [tool('a')], nextCursor: '' };
      };
      const found = discover({ modern: [], handlers: { 'tools/list': list } });
      expect((await found).tools).toEqual([tool('a')]);
      const modern = discover({ handlers: { 'tools/list': list } });
      await expect(modern).rejects.toMatchObject({ code: 'discovery-failed' });
    },
  );

  it('takes a null cursor for none, and any other that is no text for a fault', async () => {
    const last = { 'tools/list': () => ({ tools: [tool('a')], nextCursor: null }) };
    expect((await discover({ ...era, handlers: last })).tools).toHaveLength(1);
    const odd = { 'tools/list': () => ({ tools: [tool('a')], nextCursor: 2 }) };
    await expect(discover({ ...era, handlers: odd })).rejects.toThrow('a cursor that is not a text');
  });

  it('fails with what the server said where it refuses to list its tools', async () => {
    const handlers = {
      'tools/list': () => {
        throw new Refusal(-32_603, 'the database is gone', { own: 1 });
      },
    };
    await expect(discover({ ...era, handlers })).rejects.toMatchObject({
      code: 'discovery-failed',
      message: expect.stringContaining('the database is gone'),
      data: { error: { code: -32_603, message: 'the database is gone', data: { own: 1 } } },
    });
  });

  it('reads resources and prompts too, and goes on without those that fail', async () => {
    const { resources, prompts, diagnostics } = await discover({
      ...era,
      capabilities: everything,
      handlers: {
        'resources/list': () => ({
          resources: [
            { uri: 'a:1', name: 'one', own: 1 },
            { uri: 'a:1', name: 'twice' },
          ],
        }),
        'prompts/list': () => {
          throw new Refusal(-32_601, 'no such method');
        },
      },
    });
    expect(resources).toEqual([{ uri: 'a:1', name: 'one', own: 1 }]);
    expect(prompts).toEqual([]);
    expect(diagnostics.map(({ code }) => code).toSorted()).toEqual(['duplicate-definition', 'prompts-unavailable']);
  });

  it('R49: fails when all pages together take longer than the discovery deadline', async () => {
    vi.useFakeTimers();
    let page = 0;
    const slow = async (): Promise<JsonObject> => {
      await new Promise(resolve => setTimeout(resolve, 10_000));
      return { tools: [tool(`t${page}`)], nextCursor: `${page++}` };
    };
    const failed = vi.fn<(error: unknown) => void>();
    const run = discover({ ...era, handlers: { 'tools/list': slow } }).catch(failed);
    await vi.advanceTimersByTimeAsync(59_900);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    await run;
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ code: 'timeout', message: expect.stringContaining('60 s') });
  });

  it('goes on without a list of resources that never comes, when the time is up', async () => {
    vi.useFakeTimers();
    const handlers = { 'tools/list': () => ({ tools: [tool('a')] }), 'resources/list': () => silent };
    const run = discover({ ...era, capabilities: everything, handlers });
    await vi.advanceTimersByTimeAsync(60_000);
    const { tools, diagnostics } = await run;
    expect(tools).toHaveLength(1);
    expect(diagnostics.map(({ code }) => code)).toContain('resources-unavailable');
  });

  it('stops at once when its caller gives up', async () => {
    const server = scriptedServer({ ...era, handlers: { 'tools/list': () => silent } });
    const connection = await openConnection(connectionRequest(() => Promise.resolve(server.opened)));
    const caller = new AbortController();
    const discovery = connection.discover(caller.signal);
    caller.abort();
    await expect(discovery).rejects.toMatchObject({ code: 'cancelled' });
    expect(connection.state.name).toBe('discovering');
    await connection.close();
  });

  it('writes nothing on stdout for lists that the server does not have', async () => {
    const said = vi.spyOn(console, 'debug').mockImplementation(() => {});
    await discover({ ...era, capabilities: { tools: {} } });
    expect(said).not.toHaveBeenCalled();
    said.mockRestore();
  });

  it('R48: a later listing that fails leaves the connection ready and the earlier one as it was', async () => {
    let broken = false;
    const list = (): JsonObject => ({ tools: broken ? [tool('a'), tool('a')] : [tool('a')] });
    const { connection, call } = await connectTo(scriptedServer({ ...era, handlers: { 'tools/list': list } }));
    broken = true;
    await expect(connection.discover(stay)).rejects.toMatchObject({ code: 'discovery-failed' });
    expect(connection.state.name).toBe('ready');
    await expect(call('a')).resolves.toMatchObject({ content: [{ text: 'a' }] });
    await connection.close();
  });
});

describe('header annotations', () => {
  const annotated = tool('annotated', {
    inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } },
  });

  it('R48: sets a tool with invalid ones aside on 2026-07-28 over HTTP', async () => {
    const { tools, diagnostics } = await discover({
      ...listing(tool('good'), annotated),
      transport: 'streamable-http',
    });
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(diagnostics).toEqual([
      {
        code: 'invalid-header-annotation',
        message: expect.stringContaining('"annotated"'),
        data: { list: 'tools', name: 'annotated' },
      },
    ]);
  });

  it.each<[string, Script]>([
    ['a legacy revision', { modern: [] }],
    ['stdio', { modern: [], transport: 'stdio' }],
  ])('keeps it on %s, where no header is made', async (_what, script) => {
    expect((await discover({ ...script, ...listing(annotated) })).tools).toHaveLength(1);
  });
});

describe('a server that goes away during discovery', () => {
  it('says how it went, with its last words', async () => {
    const server = scriptedServer({ handlers: { 'tools/list': () => silent } });
    const deadlines = { ...defaultDeadlines };
    const opening = connect(() => Promise.resolve(server.opened), { deadlines });
    await vi.waitFor(() => expect(server.methods()).toContain('tools/list'));
    server.stderr.push('warming up', 'cannot open the database');
    server.exit({ how: 'exited', code: 3 });
    await expect(opening).rejects.toMatchObject({
      code: 'connection-lost',
      message: 'The server exited with code 3. On stderr it says: cannot open the database',
    });
  });
});

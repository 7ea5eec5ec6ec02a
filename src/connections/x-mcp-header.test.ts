import { Client } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scriptedServer } from '../../test/fixtures/scripted-server.ts';
import type { JsonValue } from '../core/json.ts';
import { declaredHeaders, headerFault } from './x-mcp-header.ts';

afterEach(() => vi.restoreAllMocks());

const object = (properties: JsonValue): JsonValue => ({ type: 'object', properties });

describe('headerFault', () => {
  it.each<[string, JsonValue]>([
    ['no annotation', object({ region: { type: 'string' } })],
    ['a string', object({ region: { type: 'string', 'x-mcp-header': 'Region' } })],
    ['deep in properties', object({ a: object({ b: { type: 'boolean', 'x-mcp-header': 'B' } }) })],
    ['an argument that is itself called x-mcp-header', object({ 'x-mcp-header': { type: 'number' } })],
    [
      'two different headers',
      object({ a: { type: 'integer', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'B' } }),
    ],
  ])('finds nothing wrong with %s', (_what, schema) => {
    expect(headerFault(schema)).toBeUndefined();
  });

  it.each<[string, JsonValue, RegExp]>([
    ['a number', object({ n: { type: 'number', 'x-mcp-header': 'N' } }), /n needs the type/],
    ['a header with a space', object({ n: { type: 'string', 'x-mcp-header': 'a b' } }), /n is no header name/],
    ['an empty header', object({ n: { type: 'string', 'x-mcp-header': '' } }), /n is no header name/],
    ['a header that is no text', object({ n: { type: 'string', 'x-mcp-header': 1 } }), /n is no header name/],
    ['the root', { type: 'object', 'x-mcp-header': 'Root' }, /no argument is certain/],
    [
      'an array item',
      object({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'I' } } }),
      /no argument is certain/,
    ],
    ['a branch', { anyOf: [object({ a: { type: 'string', 'x-mcp-header': 'I' } })] }, /no argument is certain/],
    ['a definition', { $defs: { a: { type: 'string', 'x-mcp-header': 'I' } } }, /no argument is certain/],
    [
      'one name twice',
      object({ a: { type: 'string', 'x-mcp-header': 'ID' }, b: { type: 'string', 'x-mcp-header': 'id' } }),
      /two arguments/,
    ],
  ])('finds fault with %s', (_what, schema, message) => {
    expect(headerFault(schema)).toMatch(message);
  });

  it('R48: leaves out exactly the tools that the SDK would drop', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    let listed: readonly JsonValue[] = [];
    const server = scriptedServer({ handlers: { 'tools/list': () => ({ tools: listed }) } });
    const client = new Client({ name: 'reference', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(server.wire);

    const header = fc.oneof(fc.constantFrom<JsonValue>('A', 'a', 'B-c', 'bad name', '', 'ü', 7), fc.string());
    const type = fc.constantFrom<JsonValue>('string', 'integer', 'boolean', 'number', 'object', 'array');
    const annotated = { type, 'x-mcp-header': header };
    const leaf = fc.record(annotated, { requiredKeys: [] }) as fc.Arbitrary<JsonValue>;
    const around = (inner: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
      fc.record(
        {
          ...annotated,
          properties: fc.dictionary(fc.constantFrom('p', 'q', 'x-mcp-header', 'items'), inner, { maxKeys: 2 }),
          items: inner,
          anyOf: fc.array(inner, { maxLength: 2 }),
          $defs: fc.dictionary(fc.constantFrom('d', 'x-mcp-header'), inner, { maxKeys: 1 }),
          not: inner,
          default: fc.constant({ 'x-mcp-header': 'not an annotation' }),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonValue>;
    const schema = fc.oneof(leaf, around(leaf), around(around(leaf)));
    await fc.assert(
      fc.asyncProperty(fc.array(schema, { minLength: 1, maxLength: 8 }), async schemas => {
        const inputs = schemas.map(inner => object({ arg: inner }));
        listed = inputs.map((inputSchema, index) => ({ name: `tool-${index}`, inputSchema }));
        const kept = (await client.listTools({ cursor: 'page' })).tools.map(tool => tool.name);
        const ours = inputs.flatMap((input, index) => (headerFault(input) === undefined ? [`tool-${index}`] : []));
        expect(ours).toEqual(kept);
      }),
      { numRuns: 200 },
    );
    await client.close();
  });
});

describe('declaredHeaders', () => {
  it('tells which arguments are repeated as headers, however deep they are', () => {
    const region = { type: 'string', 'x-mcp-header': 'Region' };
    const limit = { type: 'integer', 'x-mcp-header': 'Limit' };
    expect(declaredHeaders(object({ region, plain: { type: 'string' }, a: object({ b: limit }) }))).toEqual([
      { header: 'Region', path: ['region'], type: 'string' },
      { header: 'Limit', path: ['a', 'b'], type: 'integer' },
    ]);
  });

  it('has none where a client would leave the tool out', () => {
    const twice = { type: 'string', 'x-mcp-header': 'Same' };
    expect(declaredHeaders(object({ one: twice, other: twice }))).toEqual([]);
    expect(declaredHeaders(undefined)).toEqual([]);
  });
});

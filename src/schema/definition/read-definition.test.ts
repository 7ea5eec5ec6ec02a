import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { HandleKind } from '../../core/words.ts';
import { readDefinition } from './read-definition.ts';

const object = { type: 'object', properties: {} };

function read(kind: HandleKind, item: JsonValue): { definition: JsonObject; changed: readonly string[] } {
  const found = readDefinition(kind, item);
  if ('unusable' in found) throw new Error(found.unusable);
  return found;
}

describe('definitions as servers write them', () => {
  it.each<[string, HandleKind, JsonObject, JsonObject]>([
    [
      'properties as a list',
      'tool',
      { inputSchema: { type: 'object', properties: [], required: [] } },
      { inputSchema: { type: 'object', properties: {}, required: [] } },
    ],
    [
      'null for properties',
      'tool',
      { inputSchema: { type: 'object', properties: null } },
      { inputSchema: { type: 'object' } },
    ],
    ['null for required', 'tool', { inputSchema: { ...object, required: null } }, { inputSchema: object }],
    [
      'null for title, description and annotations',
      'tool',
      { title: null, description: null, annotations: null, inputSchema: object },
      { inputSchema: object },
    ],
    [
      'null for hints',
      'tool',
      { annotations: { title: null, readOnlyHint: null }, inputSchema: object },
      { annotations: {}, inputSchema: object },
    ],
    ['null for the output schema', 'tool', { outputSchema: null, inputSchema: object }, { inputSchema: object }],
    [
      'null for _meta, icons and execution',
      'tool',
      { _meta: null, icons: null, execution: null, inputSchema: object },
      { inputSchema: object },
    ],
    [
      'lists for _meta and annotations',
      'tool',
      { _meta: [], annotations: [], inputSchema: object },
      { _meta: {}, annotations: {}, inputSchema: object },
    ],
    [
      'a list for the output properties',
      'tool',
      { inputSchema: object, outputSchema: { type: 'object', properties: [] } },
      { inputSchema: object, outputSchema: { type: 'object', properties: {} } },
    ],
    ['null for the input schema', 'tool', { inputSchema: null }, { inputSchema: object }],
    ['a list for the input schema', 'tool', { inputSchema: [] }, { inputSchema: object }],
    ['no input schema', 'tool', {}, { inputSchema: object }],
    [
      'no type in the input schema',
      'tool',
      { inputSchema: { properties: {} } },
      { inputSchema: { properties: {}, type: 'object' } },
    ],
    [
      'lists and nulls deep in a schema',
      'tool',
      {
        inputSchema: {
          ...object,
          properties: {
            a: { type: 'object', properties: [], items: null, enum: null },
            b: [],
            c: null,
            d: { default: null, anyOf: [[], { const: null }] },
          },
        },
      },
      {
        inputSchema: {
          ...object,
          properties: {
            a: { type: 'object', properties: {} },
            b: {},
            c: {},
            d: { default: null, anyOf: [{}, { const: null }] },
          },
        },
      },
    ],
    ['null for the arguments of a prompt', 'prompt', { description: null, title: null, arguments: null }, {}],
    [
      'null in an argument of a prompt',
      'prompt',
      { arguments: [{ name: 'a', description: null, required: null }] },
      { arguments: [{ name: 'a' }] },
    ],
    [
      'null for everything of a resource',
      'resource',
      { uri: 'a://b', size: null, mimeType: null, annotations: [], _meta: null },
      { uri: 'a://b', annotations: {} },
    ],
    [
      'null for everything of a template',
      'template',
      { uriTemplate: 'a://{b}', title: null, mimeType: null, icons: null },
      { uriTemplate: 'a://{b}' },
    ],
  ])('B5: takes %s for absent or empty, without a word', (_what, kind, item, expected) => {
    expect(read(kind, { name: 'x', ...item })).toEqual({ definition: { name: 'x', ...expected }, changed: [] });
  });

  it.each<[HandleKind, JsonObject, JsonObject, readonly string[]]>([
    ['tool', { title: 5, description: {}, inputSchema: object }, { inputSchema: object }, ['title', 'description']],
    ['tool', { inputSchema: 'text' }, { inputSchema: object }, ['inputSchema']],
    ['tool', { inputSchema: true }, { inputSchema: object }, ['inputSchema']],
    ['tool', { inputSchema: { type: ['object', 'null'] } }, { inputSchema: { type: 'object' } }, ['inputSchema.type']],
    [
      'tool',
      { inputSchema: { ...object, properties: 'x' } },
      { inputSchema: { type: 'object' } },
      ['inputSchema.properties'],
    ],
    ['tool', { inputSchema: { ...object, required: 'a' } }, { inputSchema: object }, ['inputSchema.required']],
    ['tool', { inputSchema: { ...object, required: ['a', 1] } }, { inputSchema: object }, ['inputSchema.required']],
    ['tool', { inputSchema: object, outputSchema: true }, { inputSchema: object }, ['outputSchema']],
    [
      'tool',
      { inputSchema: object, annotations: { readOnlyHint: 'true', own: 1 } },
      { inputSchema: object, annotations: { own: 1 } },
      ['annotations.readOnlyHint'],
    ],
    [
      'tool',
      { inputSchema: object, icons: [{ src: 'a', theme: 'blue' }, { mimeType: 'x' }] },
      { inputSchema: object, icons: [{ src: 'a' }] },
      ['icons.0.theme', 'icons.1'],
    ],
    [
      'tool',
      { inputSchema: object, icons: [{ src: 'a', sizes: '48x48' }] },
      { inputSchema: object, icons: [{ src: 'a' }] },
      ['icons.0.sizes'],
    ],
    ['tool', { inputSchema: object, icons: {} }, { inputSchema: object }, ['icons']],
    [
      'tool',
      { inputSchema: object, execution: { taskSupport: 'maybe' } },
      { inputSchema: object, execution: {} },
      ['execution.taskSupport'],
    ],
    ['tool', { inputSchema: object, _meta: 'x' }, { inputSchema: object }, ['_meta']],
    ['resource', { uri: 'a://1', size: 1.5 }, { uri: 'a://1' }, ['size']],
    ['resource', { uri: 'a://1', size: -1 }, { uri: 'a://1' }, ['size']],
    ['resource', { uri: 'a://1', size: 1e20 }, { uri: 'a://1' }, ['size']],
    ['resource', { uri: 'a://1', size: '7' }, { uri: 'a://1' }, ['size']],
    [
      'resource',
      { uri: 'a://1', annotations: { priority: 2, audience: ['user', 'robot'], lastModified: 'yesterday' } },
      { uri: 'a://1', annotations: { audience: ['user'] } },
      ['annotations.audience.1', 'annotations.priority', 'annotations.lastModified'],
    ],
    [
      'template',
      { uriTemplate: 'a://{b}', annotations: { lastModified: '2025-02-30T00:00:00Z' } },
      { uriTemplate: 'a://{b}', annotations: {} },
      ['annotations.lastModified'],
    ],
    [
      'prompt',
      { arguments: [{ name: 'a', title: 1, required: 'yes' }, { description: 'no name' }] },
      { arguments: [{ name: 'a' }] },
      ['arguments.0.title', 'arguments.0.required', 'arguments.1'],
    ],
    ['prompt', { arguments: 'a' }, {}, ['arguments']],
  ])('Q5: leaves out what is of another form of a %s, and says where: %j', (kind, item, expected, changed) => {
    expect(read(kind, { name: 'x', ...item })).toEqual({ definition: { name: 'x', ...expected }, changed });
  });

  it('calls a resource without a name by its title or its URI', () => {
    expect(read('resource', { uri: 'a://1' }).definition).toEqual({ uri: 'a://1', name: 'a://1' });
    expect(read('template', { uriTemplate: 'a://{x}', name: null, title: 'T' }).definition.name).toBe('T');
    expect(read('resource', { uri: 'a://1', name: 7 })).toMatchObject({
      definition: { name: 'a://1' },
      changed: ['name'],
    });
  });

  it.each<[HandleKind, JsonValue]>([
    ['tool', null],
    ['tool', 'x'],
    ['tool', []],
    ['tool', { inputSchema: object }],
    ['tool', { name: 5 }],
    ['resource', { name: 'x' }],
    ['resource', { name: 'x', uri: '' }],
    ['template', { name: 'x', uriTemplate: 1 }],
    ['prompt', {}],
  ])('cannot use a %s that is %j', (kind, item) => {
    expect(readDefinition(kind, item)).toHaveProperty('unusable');
  });

  it('keeps what is right as the very same value, whatever else is in it', () => {
    const rest = fc.dictionary(
      fc.string().map(key => `x-${key}`),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(rest, rest, (extra, inSchema) => {
        const item = JSON.parse(JSON.stringify({ name: 'x', inputSchema: { ...object, ...inSchema }, ...extra }));
        expect(read('tool', item).definition).toBe(item);
      }),
    );
  });

  it('reads what it has read without a change', () => {
    const members = fc.constantFrom(
      'title',
      'description',
      'icons',
      'annotations',
      'inputSchema',
      'outputSchema',
      'size',
      'arguments',
      'execution',
      '_meta',
    );
    const inner = fc.letrec<{ value: JsonValue }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<JsonValue>(null, true, false, 1, -1.5, 'object', 'x', [], {}),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('type', 'properties', 'required', 'items', 'anyOf', 'name', 'src', 'priority'),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(
        fc.constantFrom<HandleKind>('tool', 'resource', 'template', 'prompt'),
        fc.dictionary(members, inner),
        (kind, extra) => {
          const { definition } = read(kind, { name: 'x', uri: 'a://b', uriTemplate: 'a://{b}', ...extra });
          expect(readDefinition(kind, definition)).toEqual({ definition, changed: [] });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is read at any depth', () => {
    const deep = JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(5_000)}{}${'}}'.repeat(5_000)}`);
    expect(read('tool', { name: 'x', inputSchema: deep }).definition).toMatchObject({ name: 'x' });
  });
});

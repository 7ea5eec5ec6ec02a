import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { type Handle, handleKinds } from '../core/words.ts';
import { clientUri, toClientDefinition } from './client-definition.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue()).map(value => JSON.parse(JSON.stringify(value)));
const eras = ['modern', 'legacy'] as const;

function handle(definition: object, kind: Handle['kind'] = 'tool', wireName = 'find'): Handle {
  const named = { name: 'find', ...definition };
  return { kind, ownerKey: 'notes', handleName: 'notes__find', wireName, definition: named } as never;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** `levels` objects inside each other, as schemas. */
function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

describe('what a client sees of a definition', () => {
  it('is the definition verbatim, but for the name, whatever is in it', () => {
    fc.assert(
      fc.property(object, extra => {
        const inputSchema = { type: 'object', properties: { a: { type: 'string' } }, ...extra, '': 1 };
        const definition = { inputSchema: { ...inputSchema, type: 'object', properties: {} }, own: extra };
        for (const era of eras) {
          expect(toClientDefinition(handle(definition), era)).toEqual({ ...definition, name: 'notes__find' });
        }
      }),
    );
  });

  it('keeps the members of a definition in their order', () => {
    const definition = { title: 'Find', inputSchema: { type: 'object', properties: { a: true } }, annotations: {} };
    for (const era of eras) {
      const shown = toClientDefinition(handle(definition), era);
      expect(Object.keys(shown)).toEqual(['name', 'title', 'inputSchema', 'annotations']);
    }
  });

  it('is a resource as it came, under its own URI', () => {
    const definition = { name: 'readme', uri: 'file:///readme', size: 3 };
    expect(toClientDefinition(handle(definition, 'resource', definition.uri), 'legacy')).toEqual(definition);
  });

  it('lacks an output schema that a 2025 client cannot read, because its result is wrapped for it', () => {
    const tool = handle({ inputSchema: { type: 'object' }, outputSchema: { type: 'array' } });
    expect(toClientDefinition(tool, 'legacy')).not.toHaveProperty('outputSchema');
    expect(toClientDefinition(tool, 'modern')).toHaveProperty('outputSchema', { type: 'array' });
  });

  it('B1: has no boolean for the schema of a property where the SDK of 2025 takes none', () => {
    const schema = { type: 'object', properties: { yes: true, no: false, deep: { properties: { stays: true } } } };
    const tool = handle({ inputSchema: { ...schema, additionalProperties: false }, outputSchema: schema });
    const properties = { yes: {}, no: { not: {} }, deep: { properties: { stays: true } } };
    expect(toClientDefinition(tool, 'legacy')).toMatchObject({
      inputSchema: { type: 'object', properties, additionalProperties: false },
      outputSchema: { type: 'object', properties },
    });
    expect(toClientDefinition(tool, 'modern')).toMatchObject({ inputSchema: schema, outputSchema: schema });
  });

  it('lacks header annotations for which a 2026 client would hide the whole tool', () => {
    const properties = { n: { type: 'number', 'x-mcp-header': 'N', minimum: 1 } };
    const tool = handle({ inputSchema: { type: 'object', properties } });
    expect(toClientDefinition(tool, 'modern').inputSchema).toEqual({
      type: 'object',
      properties: { n: { type: 'number', minimum: 1 } },
    });
    expect(toClientDefinition(tool, 'legacy').inputSchema).toEqual({ type: 'object', properties });
  });

  it('Q5: says that a tool takes nothing in the way that every client reads', () => {
    expect(toClientDefinition(handle({ inputSchema: { type: 'object' } }), 'modern').inputSchema).toEqual({
      type: 'object',
      properties: {},
    });
  });

  it.each([60, 65, 110, 600, 3_000])('Q5: is nested no deeper than every language reads, of %d levels', levels => {
    const shown = toClientDefinition(handle({ inputSchema: nested(levels), _meta: nested(levels) }), 'legacy');
    expect(depthOf(shown)).toBeLessThanOrEqual(100);
    expect(shown.inputSchema).toMatchObject({ type: 'object', properties: { a: { properties: { a: {} } } } });
  });

  it('Q5: keeps to the last level what is not nested too deeply, and cuts nothing of a list in the middle', () => {
    expect(toClientDefinition(handle({ inputSchema: nested(49) }), 'modern').inputSchema).toEqual(nested(49));
    let schema: JsonValue = { type: 'string' };
    for (let level = 0; level < 60; level++) schema = { anyOf: [schema] };
    const shown = toClientDefinition(handle({ inputSchema: { type: 'object', properties: { a: schema } } }), 'modern');
    expect(JSON.stringify(shown)).not.toContain('[]');
  });

  it.each([
    'README.md',
    '/etc/x',
    'my_scheme://x',
    'http://',
    'db://h:99999/x',
    '\ud83d://x',
    'file:///half-\ud83d',
    '..',
    'a b?c=d&e#f',
  ])('Q5: has a URI that every client reads in place of %j', uri => {
    const shown = clientUri(handle({ uri }, 'resource', uri));
    expect(shown).toMatch(/^longshore:\/\/resources\/notes\?uri=/);
    expect(new URL(shown).href).toBe(shown);
    expect(toClientDefinition(handle({ uri }, 'resource', uri), 'legacy')).toHaveProperty('uri', shown);
  });

  it('Q4: is well-formed, also in the names of members', () => {
    const half = 'half \ud83d';
    for (const kind of handleKinds) {
      const own = {
        uri: half,
        uriTemplate: half,
        name: half,
        inputSchema: { type: 'object', properties: { [half]: {} } },
      };
      const definition = {
        ...own,
        title: half,
        description: half,
        _meta: { [half]: [half] },
        arguments: [{ name: half }],
      };
      for (const era of eras) {
        const text = JSON.stringify(toClientDefinition(handle(definition, kind, half), era));
        expect(text).not.toMatch(/\\ud[89a-f]/);
      }
    }
  });
});

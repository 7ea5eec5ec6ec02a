import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentId, type Epoch, serverKey } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Handle } from '../../core/words.ts';
import { received } from '../../schema/argument-snapshot.ts';
import { discoveredHandles } from '../registry/discovered-handles.ts';
import { argumentGuard } from './argument-guard.ts';
import { outputCheck } from './output-check.ts';

function toolWith(inputSchema: JsonValue, more: JsonObject = {}): Handle {
  const { handles } = discoveredHandles({
    agentId: agentId('did:test:a'),
    serverKey: serverKey('srv'),
    epoch: 'e1' as Epoch,
    protocolVersion: '2026-07-28',
    tools: [{ name: 'tool', inputSchema, ...more }],
    resources: [],
    templates: [],
    prompts: [],
  });
  const [handle] = handles;
  if (handle === undefined) throw new Error('the tool is mounted');
  return handle;
}

async function verdict(inputSchema: JsonValue, args: unknown): Promise<string> {
  try {
    const { misfits } = await argumentGuard().check(toolWith(inputSchema), received(args));
    return misfits.length === 0 ? 'ok' : `misfits: ${misfits.join('; ')}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'not even an error';
  }
}

const closed = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer', maximum: 10 } },
  required: ['path'],
  additionalProperties: false,
};

describe('argument guard', () => {
  it('B4: lets pass what the schema allows, and says what it does not', async () => {
    expect(await verdict(closed, { path: '/x', limit: 3 })).toBe('ok');
    expect(await verdict(closed, { path: 5 })).toContain('path must be string');
    expect(await verdict(closed, { limit: 3 })).toContain("must have required property 'path'");
    expect(await verdict(closed, { path: '/x', limit: 11 })).toContain('limit must be <= 10');
    expect(await verdict({ properties: { mode: { enum: ['a', 'b'] } } }, { mode: 'c' })).toContain('["a","b"]');
  });

  it('U9, Q14: only notes what the server decides about: null, a required default, another type', async () => {
    const screenshot = {
      type: 'object',
      properties: { type: { default: 'png' } },
      required: ['type'],
      additionalProperties: false,
    };
    expect(await verdict(screenshot, {})).toBe("misfits: arguments must have required property 'type'");
    expect(await verdict(closed, { path: '/x', limit: null })).toBe('misfits: limit must be integer');
    expect(await verdict(closed, { path: '/x', limt: null })).toMatch(/was not called: "limt" is not an argument/);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const args = Object.fromEntries(Object.keys(many).map(name => [name, 1]));
    expect((await verdict({ properties: many }, args)).split('; ').length).toBeLessThanOrEqual(10);
  });

  it('B4: takes no argument for given that only has the name of something every object has', async () => {
    const properties = { constructor: { type: 'string' }, toString: { type: 'string' } };
    expect(await verdict({ type: 'object', properties }, {})).toBe('ok');
    expect(await verdict({ type: 'object', properties }, { constructor: 'Gropius' })).toBe('ok');
    expect(await verdict({ type: 'object', properties }, { toString: 5 })).toContain('toString must be string');
    expect(await verdict({ type: 'object', properties, required: ['constructor'] }, {})).toContain(
      "must have required property 'constructor'",
    );
  });

  it('B4: refuses an unknown name of a closed schema with the nearest one, and passes it to an open one', async () => {
    expect(await verdict(closed, { pth: '/x' })).toBe(
      'srv__tool was not called: "pth" is not an argument, did you mean path? (it takes path, limit).',
    );
    expect(await verdict({ ...closed, additionalProperties: true }, { path: '/x', other: 1 })).toBe('ok');
    expect(await verdict({ type: 'object', additionalProperties: false }, { x: 1 })).toContain('it takes none');
  });

  it('does not repeat the values it refuses', async () => {
    expect(await verdict(closed, { path: ['canary-value'] })).not.toContain('canary');
    expect(await verdict({ properties: { a: { const: 1 } } }, { a: 'canary-value' })).not.toContain('canary');
  });

  it.each<[string, unknown, string]>([
    ['a list', [1], 'one JSON object'],
    ['null', null, 'one JSON object'],
    ['a text', 'x', 'one JSON object'],
    ['NaN', { a: { b: Number.NaN } }, '/a/b is NaN'],
    ['a function', { a: () => 1 }, '/a is a function'],
    ['a bigint', { a: [1n] }, '/a/0 is a bigint'],
    ['a date', { a: new Date(0) }, '/a is not a plain object'],
    ['a text beyond the limit', { a: 'x'.repeat(4 * 1024 * 1024 + 1) }, 'longer than'],
    ['too many values', { a: Array.from({ length: 200_001 }, () => 1) }, 'more than 200000 values'],
  ])('refuses %s', async (_, args, message) => {
    expect(await verdict({ type: 'object' }, args)).toContain(message);
  });

  it('refuses what is nested too deeply, goes in circles or throws when it is read', async () => {
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    const circle: { self?: object } = {};
    circle.self = circle;
    const trap = {
      get a() {
        throw new Error('trap');
      },
    };
    expect(await verdict({}, deep)).toContain('nested deeper');
    expect(await verdict({}, circle)).toContain('nested deeper');
    expect(await verdict({}, trap)).toContain('plain JSON');
  });

  it('S4: refuses 20,000 unknown names as fast as one, and names a few of them', async () => {
    const properties = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`property${index}`, {}]));
    const args = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`proprety${index}`, 1]));
    const began = performance.now();
    const told = await verdict({ properties, additionalProperties: false }, args);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(told).toContain('"proprety0" is not an argument, did you mean property0?');
    expect(told.length).toBeLessThan(30_000);
  });

  it('copies: what a caller changes later is not what is sent, and __proto__ is an ordinary name', () => {
    const args = { list: [1], inner: { a: 1 }, gone: undefined };
    const snapshot = received(args);
    args.list.push(2);
    args.inner.a = 2;
    expect(snapshot).toMatchObject({ args: { list: [1], inner: { a: 1 } } });
    expect(Object.keys(snapshot.args ?? {})).toEqual(['list', 'inner']);
    expect(Object.isFrozen(snapshot.args?.['list'])).toBe(true);
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":1}}');
    const copied = received(hostile);
    expect(JSON.stringify(copied.args)).toBe('{"__proto__":{"polluted":1}}');
    expect('polluted' in {}).toBe(false);
  });

  it.each<[string, JsonObject, JsonObject, boolean]>([
    [
      'draft-07 lists',
      { properties: { p: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } } },
      { p: ['a', 'b'] },
      false,
    ],
    [
      'draft-07 by name',
      { $schema: 'http://json-schema.org/draft-07/schema#', properties: { p: { items: [{ type: 'string' }] } } },
      { p: [1] },
      false,
    ],
    [
      '2019-09',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } },
      { a: 1 },
      false,
    ],
    [
      '2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        properties: { p: { prefixItems: [{ type: 'string' }] } },
      },
      { p: [1] },
      false,
    ],
    [
      'local references',
      { $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n' } } },
      { a: 'x' },
      false,
    ],
    [
      'definitions',
      { definitions: { 'a/b': { type: 'number' } }, properties: { a: { $ref: '#/definitions/a~1b' } } },
      { a: 'x' },
      false,
    ],
    [
      'a tree',
      { $ref: '#/$defs/t', $defs: { t: { properties: { l: { $ref: '#/$defs/t' }, v: { type: 'number' } } } } },
      { l: { l: { v: 'x' } } },
      false,
    ],
    [
      'unknown dialect',
      { $schema: 'https://example.com/own', properties: { a: { type: 'number' } } },
      { a: 'x' },
      true,
    ],
    ['foreign reference', { properties: { a: { $ref: 'https://example.com/x.json' } } }, { a: 'x' }, true],
    ['reference to nowhere', { properties: { a: { $ref: '#/$defs/none' } } }, { a: 'x' }, true],
    ['nonsense', { type: 'strange' }, { a: 'x' }, true],
    ['format is not checked', { properties: { a: { type: 'string', format: 'email' } } }, { a: 'x' }, true],
  ])('understands %s', async (_, schema, args, passes) => {
    expect((await verdict(schema, args)) === 'ok').toBe(passes);
  });

  it("never runs a server's regular expression, and refuses nothing because it was left out", async () => {
    const bomb = '^(a+)+$';
    const long = `${'a'.repeat(40)}!`;
    const schemas: JsonObject[] = [
      { properties: { a: { type: 'string', pattern: bomb } } },
      { patternProperties: { [bomb]: { type: 'number' } }, additionalProperties: false },
      { properties: { a: { not: { pattern: bomb } } } },
      { properties: { a: { oneOf: [{ pattern: bomb }, { pattern: '^b' }, { pattern: '^c' }] } } },
      { if: { properties: { a: { pattern: bomb } } }, then: false },
      { properties: { a: { not: { $ref: '#/$defs/p' } } }, $defs: { p: { pattern: bomb } } },
      { propertyNames: { pattern: bomb } },
      { patternProperties: { '^a': true }, unevaluatedProperties: false },
      { properties: { list: { contains: { pattern: 'x' }, maxContains: 1 } } },
    ];
    for (const schema of schemas) expect(await verdict(schema, { a: long, list: ['x', 'y'] })).toBe('ok');
    expect(await verdict({ properties: { a: { type: 'number', pattern: bomb } } }, { a: long })).toContain(
      'must be number',
    );
  });

  it('accepts whatever the plain validator accepts, for any schema with parts left out', async () => {
    const leaf = fc.constantFrom<JsonValue>(
      { type: 'string' },
      { type: 'number' },
      { pattern: '^a' },
      { minLength: 2 },
      { const: 'ab' },
      true,
      false,
    );
    const { schema } = fc.letrec<{ schema: JsonValue }>(tie => ({
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.record({ not: tie('schema') }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), oneOf: fc.tuple(tie('schema')) }),
        fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
        fc.record({
          properties: fc.record({ a: tie('schema') }),
          patternProperties: fc.record({ '^b': tie('schema') }),
          additionalProperties: tie('schema'),
        }),
        fc.record({ items: tie('schema'), contains: tie('schema') }),
      ),
    }));
    const value = fc.constantFrom<JsonValue>('a', 'ab', 'b', 3, null, ['a', 'b'], [], { a: 'ab', b: 1 }, { c: 'a' });
    const plain = new Ajv2020({ strict: false, logger: false, validateFormats: false });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(schema, value, async (generated, one) => {
        const isValid = plain.validate({ properties: { v: generated } }, { v: one });
        if (isValid) accepted += 1;
        const found = isValid ? await verdict({ properties: { v: generated } }, { v: one }) : 'ok';
        expect(found).toBe('ok');
      }),
      { numRuns: 150 },
    );
    expect(accepted).toBeGreaterThan(10);
  });

  it('is not held up by a schema made to take for ever', async () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `d${level}`,
        { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
      ]),
    );
    const twice = {
      anyOf: [
        { properties: { n: { $ref: '#/$defs/t' } }, required: ['x'] },
        { properties: { n: { $ref: '#/$defs/t' } }, required: ['y'] },
      ],
    };
    let nest: JsonObject = {};
    for (let depth = 0; depth < 50; depth += 1) nest = { n: nest };
    let wide: JsonObject = {};
    for (let depth = 0; depth < 200; depth += 1) wide = { properties: { a: wide } };
    const unique = { properties: { u: { type: 'array', uniqueItems: true } } };
    const started = performance.now();
    await verdict({ $defs: { ...doubling, d40: { type: 'number' } }, $ref: '#/$defs/d0' }, { a: 1 });
    await verdict({ $defs: { t: twice }, $ref: '#/$defs/t' }, nest);
    await verdict({ $defs: { t: { $ref: '#/$defs/t' } }, $ref: '#/$defs/t' }, {});
    await verdict(wide, {});
    await verdict(unique, { u: Array.from({ length: 100_000 }, (_, index) => ({ index })) });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('says of a schema that cannot be used that it is hardly checked', async () => {
    const guard = argumentGuard();
    const handle = toolWith({ properties: { a: { $ref: 'https://example.com/x.json' } } });
    expect(guard.diagnostic(handle)).toBeUndefined();
    await guard.check(handle, received({}));
    expect(guard.diagnostic(handle)).toMatchObject({
      code: 'unusable-schema',
      message: expect.stringContaining('elsewhere'),
    });
  });
});

describe('output check', () => {
  const handle = toolWith(
    {},
    { outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
  );

  it.each<[string, JsonObject, string[]]>([
    ['what was promised', { content: [], structuredContent: { n: 1 } }, []],
    ['another type', { content: [], structuredContent: { n: 'x' } }, ['output-mismatch']],
    ['nothing structured', { content: [] }, ['output-mismatch']],
    ['an error of the tool', { content: [], isError: true }, []],
  ])('B4: %s is no reason to lose a result', async (_, result, codes) => {
    expect((await outputCheck().check(handle, result)).map(({ code }) => code)).toEqual(codes);
  });

  it('B18: calls what is wrong by its own name', async () => {
    const result = { content: [], structuredContent: 5 };
    const [warning] = await outputCheck().check(handle, result);
    expect(warning?.message).toContain('structuredContent must be object');
    expect(warning?.message).not.toContain('arguments');
  });

  it('says nothing where nothing was promised', async () => {
    expect(await outputCheck().check(toolWith({}), { content: [] })).toEqual([]);
  });
});

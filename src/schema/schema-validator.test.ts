import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { compileSchema } from './schema-validator.ts';

/** Many small schemas, none like another. */
function many(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'object',
    properties: { [`p${index}`]: { type: 'string' } },
  }));
}

function named(count: number): JsonObject {
  return Object.fromEntries(many(count).map((schema, index) => [`q${index}`, schema]));
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe('compiling a schema of a server', () => {
  it.each<[string, (count: number) => JsonObject]>([
    ['anyOf', count => ({ properties: { a: { anyOf: many(count) } } })],
    ['oneOf', count => ({ properties: { a: { oneOf: many(count) } } })],
    ['allOf', count => ({ allOf: many(count) })],
    ['properties', count => ({ properties: named(count) })],
    [
      '$defs',
      count => ({
        $defs: named(count),
        properties: Object.fromEntries(names(count).map((name, index) => [name, { $ref: `#/$defs/q${index}` }])),
      }),
    ],
    ['prefixItems', count => ({ properties: { a: { prefixItems: many(count) } } })],
    ['dependentSchemas', count => ({ dependentSchemas: named(count) })],
    [
      'dependentRequired',
      count => ({ dependentRequired: Object.fromEntries(names(count).map(name => [name, names(20)])) }),
    ],
    ['required', count => ({ required: names(count) })],
  ])(
    'S9: %s of 16,000 parts costs no more than a large honest schema; it is not compiled, and says so',
    async (_, make) => {
      expect(await compileSchema(make(100))).toHaveProperty('validator');
      const began = performance.now();
      const compiled = await compileSchema(make(16_000));
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(compiled).toMatchObject({ unusable: expect.stringContaining('more than') as string });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { signature } from './signature.ts';

describe('signature', () => {
  it('writes required arguments first and marks the optional ones', () => {
    const schema = {
      type: 'object',
      properties: { limit: { type: 'integer' }, path: { type: 'string' } },
      required: ['path'],
    };
    expect(signature('read', schema)).toBe('read(path: string, limit?: number)');
  });

  it('writes enums, arrays, unions, nullable types and nested objects', () => {
    const schema = {
      type: 'object',
      required: ['mode', 'tags', 'id', 'when', 'where', 'pairs', 'fixed'],
      properties: {
        mode: { enum: ['fast', 'slow'] },
        tags: { type: 'array', items: { type: 'string' } },
        id: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        when: { type: ['string', 'null'] },
        where: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
        pairs: { type: 'array', items: { type: ['string', 'number'] } },
        fixed: { const: 1 },
      },
    };
    expect(signature('f', schema)).toBe(
      'f(mode: "fast" | "slow", tags: string[], id: string | number, when: string | null, where: { x: number }, pairs: (string | number)[], fixed: 1)',
    );
  });

  it('never fails on a schema it does not understand', () => {
    for (const schema of [undefined, null, true, {}, { properties: 3 }, { properties: { a: true, b: { type: 7 } } }]) {
      expect(signature('f', schema as never)).toMatch(/^f\(.*\)$/);
    }
  });

  it('stops at a depth, so that a recursive schema stays one line', () => {
    const deep = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'object', properties: { in: deep(levels - 1) } };
    expect(signature('f', deep(6) as never)).toBe('f(in?: { in?: { in?: object } })');
  });
});

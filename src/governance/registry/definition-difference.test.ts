import { describe, expect, it } from 'vitest';
import { definitionDifference } from './definition-difference.ts';

describe('definition difference', () => {
  it('names each place once, as deep as it goes: changed, new and gone', () => {
    const before = {
      name: 'pay',
      description: 'Pays',
      inputSchema: { properties: { to: { type: 'string' }, note: {} }, required: ['to'] },
    };
    const after = {
      name: 'pay',
      description: 'Pays!',
      inputSchema: { properties: { to: { type: 'string' }, iban: {} }, required: ['to', 'iban'] },
    };
    expect(definitionDifference(before, after)).toEqual([
      { path: 'description', before: 'Pays', after: 'Pays!' },
      { path: 'inputSchema.properties.note', before: {} },
      { path: 'inputSchema.properties.iban', after: {} },
      { path: 'inputSchema.required', before: ['to'], after: ['to', 'iban'] },
    ]);
  });

  it('finds nothing where only the order of members differs, and shows no more than fifty places', () => {
    expect(definitionDifference({ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] })).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`m${index}`, index]));
    expect(definitionDifference({}, many).length).toBe(50);
  });
});

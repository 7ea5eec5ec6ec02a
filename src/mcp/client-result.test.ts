import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { toClientResult } from './client-result.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue()).map(value => JSON.parse(JSON.stringify(value)));

describe('what a client sees of a result', () => {
  it('is the result verbatim, without what its server says of itself', () => {
    fc.assert(
      fc.property(object, extra => {
        const { _meta: _, resultType: __, structuredContent: ___, ...rest } = extra;
        const _meta = { trace: 'x', 'io.modelcontextprotocol/serverInfo': { name: 'other' } };
        expect(toClientResult({ ...rest, _meta }, 'legacy')).toEqual({ ...rest, _meta: { trace: 'x' } });
        expect(toClientResult({ ...rest, _meta }, 'modern')).toEqual({
          ...rest,
          _meta: { trace: 'x' },
          resultType: 'complete',
        });
      }),
    );
  });

  it('is an object where its client knows no other structure', () => {
    expect(toClientResult({ content: [], structuredContent: [1, 2] }, 'legacy')).toEqual({
      content: [],
      structuredContent: { result: [1, 2] },
    });
  });

  it('B17: has no structure where a 2025 server says null, and null where one of 2026 does', () => {
    const result = { content: [], structuredContent: null };
    expect(toClientResult(result, 'legacy', '2025-06-18')).toEqual({ content: [] });
    expect(toClientResult(result, 'modern', '2025-11-25')).toEqual({ content: [], resultType: 'complete' });
    expect(toClientResult(result, 'legacy', '2026-07-28')).toEqual({
      content: [],
      structuredContent: { result: null },
    });
    expect(toClientResult(result, 'modern', '2026-07-28')).toMatchObject({ structuredContent: null });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a tool',
      { content: [{ type: 'text', text: 'ok', annotations: null, _meta: null }], isError: null, _meta: null },
      { content: [{ type: 'text', text: 'ok' }] },
    ],
    [
      'a tool without content',
      { content: null, structuredContent: { a: null } },
      { content: [], structuredContent: { a: null } },
    ],
    [
      'a resource in a result',
      { content: [{ type: 'resource', annotations: [], resource: { uri: 'a:b', text: 'x', blob: null, _meta: [] } }] },
      { content: [{ type: 'resource', annotations: {}, resource: { uri: 'a:b', text: 'x', _meta: {} } }] },
    ],
    [
      'a read',
      { contents: [{ uri: 'a:b', mimeType: null, text: 'x', blob: null }] },
      { contents: [{ uri: 'a:b', text: 'x' }] },
    ],
    [
      'a prompt',
      { description: null, messages: [{ role: 'user', content: { type: 'text', text: 'x', annotations: null } }] },
      { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] },
    ],
    ['a completion', { completion: { values: ['a'], total: null, hasMore: null } }, { completion: { values: ['a'] } }],
  ])('B5: has nothing in place of null, of %s', (_what, result, expected) => {
    expect(toClientResult(result, 'legacy', '2025-06-18')).toEqual(expected);
  });

  it.each<JsonObject>([
    { content: 'text' },
    { content: [null, 5, { type: 'x', own: null }] },
    { content: [], structuredContent: { a: null, b: [] }, own: null, other: [] },
    { messages: {}, completion: 7 },
  ])('is otherwise as it came: %j', result => {
    expect(toClientResult(result, 'legacy', '2025-06-18')).toEqual(result);
  });

  it('has no empty _meta where there was only the name of its server', () => {
    const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'other' } };
    expect(toClientResult({ content: [], _meta }, 'legacy')).toEqual({ content: [] });
    expect(toClientResult({ content: [], _meta: {} }, 'legacy')).toEqual({ content: [], _meta: {} });
  });
});

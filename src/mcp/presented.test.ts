import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Handle } from '../core/words.ts';
import { presented, presentedResult } from './presented.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue()).map(value => JSON.parse(JSON.stringify(value)));

function handle(definition: object, kind: Handle['kind'] = 'tool'): Handle {
  return { kind, handleName: 'notes__find', wireName: 'find', definition: { name: 'find', ...definition } } as never;
}

describe('what a client sees of a definition', () => {
  it('is the definition verbatim, but for the name, whatever is in it', () => {
    fc.assert(
      fc.property(object, extra => {
        const { outputSchema: _, name: __, inputSchema: ___, ...rest } = extra;
        const definition = { ...rest, inputSchema: { type: 'object' } };
        for (const era of ['modern', 'legacy'] as const) {
          expect(presented(handle(definition), era)).toEqual({ ...definition, name: 'notes__find' });
        }
      }),
    );
  });

  it('keeps the members of a definition in their order', () => {
    const shown = presented(handle({ title: 'Find', annotations: { readOnlyHint: true } }), 'modern');
    expect(Object.keys(shown)).toEqual(['name', 'title', 'annotations']);
  });

  it('is a resource as it came, its URI never changed', () => {
    const definition = { name: 'readme', uri: 'file:///readme', size: 3 };
    expect(presented(handle(definition, 'resource'), 'legacy')).toEqual(definition);
  });

  it('lacks an output schema that a 2025 client cannot read, because its result is wrapped for it', () => {
    const tool = handle({ inputSchema: { type: 'object' }, outputSchema: { type: 'array' } });
    expect(presented(tool, 'legacy')).not.toHaveProperty('outputSchema');
    expect(presented(tool, 'modern')).toHaveProperty('outputSchema', { type: 'array' });
    expect(presentedResult({ content: [], structuredContent: [1, 2] }, 'legacy')).toEqual({
      content: [],
      structuredContent: { result: [1, 2] },
    });
  });

  it('lacks header annotations for which a 2026 client would hide the whole tool', () => {
    const properties = { n: { type: 'number', 'x-mcp-header': 'N', minimum: 1 } };
    const tool = handle({ inputSchema: { type: 'object', properties } });
    expect(presented(tool, 'modern').inputSchema).toEqual({
      type: 'object',
      properties: { n: { type: 'number', minimum: 1 } },
    });
    expect(presented(tool, 'legacy').inputSchema).toEqual({ type: 'object', properties });
  });
});

describe('what a client sees of a result', () => {
  it('is the result verbatim, without what its server says of itself', () => {
    fc.assert(
      fc.property(object, extra => {
        const { _meta: _, resultType: __, structuredContent: ___, ...rest } = extra;
        const _meta = { trace: 'x', 'io.modelcontextprotocol/serverInfo': { name: 'other' } };
        expect(presentedResult({ ...rest, _meta }, 'legacy')).toEqual({ ...rest, _meta: { trace: 'x' } });
        expect(presentedResult({ ...rest, _meta }, 'modern')).toEqual({
          ...rest,
          _meta: { trace: 'x' },
          resultType: 'complete',
        });
      }),
    );
  });

  it('has no empty _meta where there was only the name of its server', () => {
    const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'other' } };
    expect(presentedResult({ content: [], _meta }, 'legacy')).toEqual({ content: [] });
    expect(presentedResult({ content: [], _meta: {} }, 'legacy')).toEqual({ content: [], _meta: {} });
  });
});

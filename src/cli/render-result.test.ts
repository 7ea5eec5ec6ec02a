import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { renderResult } from './render-result.ts';

describe('renderResult', () => {
  it('prints text as it is and says of everything else what it is and how large', () => {
    const content = [
      { type: 'text', text: 'one\ntwo' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource_link', uri: 'file:///a' },
      { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAAAAAA' } },
    ];
    expect(renderResult({ content }).split('\n')).toEqual([
      'one',
      'two',
      '[image image/png, 3 bytes]',
      '[resource file:///a]',
      'inside',
      '[resource file:///c, 6 bytes]',
    ]);
  });

  it('prints structured content where there is nothing else', () => {
    expect(renderResult({ structuredContent: { a: 1 } })).toBe('{\n  "a": 1\n}');
    expect(renderResult({ content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 } })).toBe('x');
  });

  it('loses nothing of what it does not know, and never fails', () => {
    expect(renderResult({ content: [{ type: 'hologram', rays: 3 }, 7, null, { type: 'text' }] })).toBe(
      '{"type":"hologram","rays":3}\n7\nnull\n{"type":"text"}',
    );
  });

  it.each<[JsonObject, string]>([
    [{ content: 'plain text' }, 'plain text'],
    [{ content: { type: 'text', text: 'one block' } }, 'one block'],
    [{ content: null, answer: 42 }, '{\n  "answer": 42\n}'],
    [{ answer: 42, _meta: { a: 1 }, isError: true }, '{\n  "answer": 42\n}'],
    [{ content: [], structuredContent: [1] }, '[\n  1\n]'],
    [{ structuredContent: null, toolResult: 'old' }, '{\n  "toolResult": "old"\n}'],
    [{}, '{}'],
    [{ content: [] }, ''],
  ])('B18: prints what a result without blocks has: %j', (result, text) => {
    expect(renderResult(result)).toBe(text);
  });
});

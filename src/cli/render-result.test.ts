import { describe, expect, it } from 'vitest';
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
    expect(renderResult({})).toBe('');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findReferences, foreignReferences, previewReferences, replaceReferences } from './references.ts';

describe('references', () => {
  it('are found wherever they stand, with their default', () => {
    expect(findReferences('a${env:A}b${env:B:-x y}${secret:c.d-e}')).toEqual([
      { text: '${env:A}', source: 'env', name: 'A' },
      { text: '${env:B:-x y}', source: 'env', name: 'B', fallback: 'x y' },
      { text: '${secret:c.d-e}', source: 'secret', name: 'c.d-e' },
    ]);
  });

  it.each([
    '$A',
    '${A}',
    '${env:}',
    '${env:A',
    '${secret:a:-b}',
    '${input:x}',
    '${cmd: id}',
    '$(id)',
    '{env:A}',
    '${env:A B}',
  ])('are nothing else: %s stays as it is', text => {
    expect(findReferences(text)).toEqual([]);
    expect(replaceReferences(text, () => 'replaced')).toBe(text);
  });

  it('that others would resolve are told apart from ours', () => {
    expect(foreignReferences('${input:x} ${env:A} ${B} $C')).toEqual(['${input:x}', '${B}']);
  });

  it('leave every other character of a text as it is', () => {
    const plain = fc.string().map(text => text.replaceAll('$', ''));
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, name)), plain, (parts, last) => {
        const text = parts.map(([before, variable]) => `${before}\${env:${variable}}`).join('') + last;
        expect(findReferences(text).map(reference => reference.name)).toEqual(parts.map(([, variable]) => variable));
        const replaced = replaceReferences(text, reference => `<${reference.name}>`);
        expect(replaced).toBe(parts.map(([before, variable]) => `${before}<${variable}>`).join('') + last);
      }),
    );
  });

  it('never read a value for references again, whatever the value is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('${secret:token}', '$&', '$1', "$'")), value => {
        expect(replaceReferences('<${env:A}|${env:A}>', () => value)).toBe(`<${value}|${value}>`);
      }),
    );
  });

  it('have a preview for what must be known before they are resolved', () => {
    expect(previewReferences('${env:A:-https://h}/mcp?k=${secret:s}')).toBe('https://h/mcp?k=1');
  });
});

import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, renderTable } from './table.ts';
import { cutText, textWidth, visibleText } from './visible-text.ts';

interface Row {
  readonly name: string;
  readonly tools: number;
  readonly state: string;
}

const columns: readonly Column<Row>[] = [
  { header: 'NAME', text: row => row.name },
  { header: 'TOOLS', text: row => String(row.tools), align: 'right' },
  { header: 'STATE', text: row => row.state, shrinks: true, colour: row => (row.tools === 0 ? 'red' : undefined) },
];

const rows: readonly Row[] = [
  { name: 'everything', tools: 13, state: 'connected' },
  { name: 'x', tools: 0, state: 'It ended by itself; attempt 2 of 5 to start it again is in 4 s.' },
];

describe('a table', () => {
  it('aligns its columns and leaves no spaces at the ends of lines', () => {
    expect(renderTable(rows, columns, { colour: false }).split('\n')).toEqual([
      'NAME        TOOLS  STATE',
      'everything     13  connected',
      'x               0  It ended by itself; attempt 2 of 5 to start it again is in 4 s.',
    ]);
    const noState = rows.map(row => ({ ...row, state: '' }));
    expect(renderTable(noState, columns, { colour: false }).split('\n')[1]).toBe('everything     13');
  });

  it('is nothing without rows', () => {
    expect(renderTable([], columns, { colour: true })).toBe('');
  });

  it('fits a terminal by cutting the texts that may be cut, and never a name', () => {
    const lines = renderTable(rows, columns, { width: 45, colour: false }).split('\n');
    expect(lines[2]).toBe('x               0  It ended by itself; attem…');
    const narrow = renderTable(rows, columns, { width: 5, colour: false }).split('\n');
    expect(narrow[1]).toBe('everything     13  connected');
    expect(narrow[2]).toBe('x               0  It ended by…');
  });

  it('has colour only where it is asked for, and the same text then', () => {
    const plain = renderTable(rows, columns, { width: 60, colour: false });
    const coloured = renderTable(rows, columns, { width: 60, colour: true });
    expect(plain).not.toContain('\u001b');
    expect(coloured).toContain('\u001b[31m');
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  it("shows what is in a server's text and obeys none of it", () => {
    const evil = [{ name: 'a\u001b[2J\nb', tools: 1, state: 'ok\r\u202egnp\u200b\u0007\u009b31m' }];
    const text = renderTable(evil, columns, { colour: false });
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain('a\\u{1b}[2J\\nb');
    expect(text).toContain('ok\\u{d}\\u{202e}gnp\\u{200b}\\u{7}\\u{9b}31m');
  });

  it('keeps every line within the width, whatever is in it, as long as the columns that stay whole fit', () => {
    const any = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.record({ name: fc.constant('abc'), tools: fc.nat(99), state: any })), given => {
        for (const line of renderTable(given, columns, { width: 40, colour: false }).split('\n')) {
          expect(textWidth(line)).toBeLessThanOrEqual(40);
          expect(line).toBe(line.trimEnd());
        }
      }),
    );
  });
});

describe('visible text', () => {
  it('leaves what can be seen as it is', () => {
    for (const text of ['plain', 'Grüße, 東京, Ελλάδα', '👩‍💻 👍🏽 ❤️', 'a–b…c']) expect(visibleText(text)).toBe(text);
  });

  it.each([
    ['\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['a\u00a0b\u2003c', 'a\\u{a0}b\\u{2003}c'],
    ['adm\u200din', 'adm\\u{200d}in'],
    ['\u2066x\u2069\ufeff\u3164', '\\u{2066}x\\u{2069}\\u{feff}\\u{3164}'],
    ['\ud800', '\\u{d800}'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\u2028', '\\u{2028}'],
  ])('writes %j as %s', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['e\u0301', 1],
    ['東京', 4],
    ['한국', 4],
    ['👩‍💻', 2],
    ['❤️', 2],
    ['ñandú', 5],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('is not more than asked for after cutting, with half a character nowhere', () => {
    expect([cutText('abcdef', 4), cutText('東京都', 4), cutText('👩‍💻👩‍💻', 3), cutText('ab', 2)]).toEqual([
      'abc…',
      '東…',
      '👩‍💻…',
      'ab',
    ]);
  });
});

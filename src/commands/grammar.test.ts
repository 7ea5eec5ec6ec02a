import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { quoteWord, readCommandLine } from './grammar.ts';

function refusal(line: string): string | undefined {
  try {
    readCommandLine(line);
    return undefined;
  } catch (error) {
    return error instanceof LongshoreError ? error.code : String(error);
  }
}

describe('a command line', () => {
  it.each([
    ['!mcp-list', '!mcp-list', [], []],
    ['  !MCP-List\n', '!mcp-list', [], []],
    ['!mcp-load mcp/Time', '!mcp-load', ['mcp/Time'], []],
    ['!mcp-load\t\r\n x', '!mcp-load', ['x'], []],
    ['!mcp-search "web search"', '!mcp-search', ['web search'], []],
    [`!mcp-search 'say "hi"'`, '!mcp-search', ['say "hi"'], []],
    ['!mcp-search a" b "c', '!mcp-search', ['a b c'], []],
    ['!mcp-search ""', '!mcp-search', [''], []],
    ['!mcp-catalog --refresh', '!mcp-catalog', [], ['refresh']],
    ['!mcp-load --a x --b y', '!mcp-load', ['x', 'y'], ['a', 'b']],
    ['!mcp-load -- --a', '!mcp-load', ['--a'], []],
    ['!mcp-load -- -- x', '!mcp-load', ['--', 'x'], []],
    ['!mcp-load "--a" -', '!mcp-load', ['--a', '-'], []],
    ['!mcp-load C:\\dir\\', '!mcp-load', ['C:\\dir\\'], []],
    ['', '', [], []],
    [' \t', '', [], []],
  ])('R28: %j is read as its words and flags', (line, name, positional, flags) => {
    expect(readCommandLine(line)).toEqual({ name, positional, flags });
  });

  it.each(['!x "a', "!x 'a", '!x a"', '!x "a\'', '"'])('R28: a quote that is not closed is refused: %j', line => {
    expect(() => readCommandLine(line)).toThrow('not closed');
  });

  it('R28: a flag with one dash is refused, with the way to mean it otherwise', () => {
    expect(() => readCommandLine('!x -a')).toThrow('put -- before it');
  });

  it('R28: only A to Z are lower-cased, so no other letter becomes one of a command', () => {
    expect(readCommandLine('!MCP-\u212aill').name).toBe('!mcp-\u212aill');
    expect(readCommandLine('!MCP-L\u0130ST').name).toBe('!mcp-l\u0130st');
  });

  it.each(['\u00a0', '\ufeff', '\u2003', '\u3000'])('R70: %j separates no words and is dropped nowhere', blank => {
    expect(readCommandLine(`!x img${blank}`).positional).toEqual([`img${blank}`]);
    expect(readCommandLine(`!x ${blank}img`).positional).toEqual([`${blank}img`]);
    expect(readCommandLine(`!x "img "${blank}b`).positional).toEqual([`img ${blank}b`]);
  });

  it('R28: any texts can be given as words, quoted, and come back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), texts => {
        const line = ['!x', ...texts.map(quoteWord)].join(' ');
        expect(readCommandLine(line)).toEqual({ name: '!x', positional: texts, flags: [] });
      }),
    );
    const awkward = fc.array(fc.constantFrom('"', "'", ' ', '-', '--', 'a', '\n', '\\', '\u00a0'));
    fc.assert(
      fc.property(fc.array(awkward.map(parts => parts.join(''))), texts => {
        const line = ['!x', ...texts.map(quoteWord)].join('  ');
        expect(readCommandLine(line).positional).toEqual(texts);
      }),
      { numRuns: 500 },
    );
  });

  it('R28: any line at all is read or refused as wrong usage, in time that grows with its length only', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "'", ' ', '-', 'a', '\t', 'é', '!'), maxLength: 60 }),
        line => {
          expect([undefined, 'usage']).toContain(refusal(line));
        },
      ),
      { numRuns: 500 },
    );
    expect(readCommandLine(`!x ${'a'.repeat(1_000_000)} ${`"a"'b'`.repeat(100_000)}`).positional).toHaveLength(2);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalPattern, parsePattern, readPattern } from './rule-pattern.ts';

describe('rule patterns', () => {
  it('reads a target, who, for whom, and conditions', () => {
    const pattern = readPattern(
      'tool github.create_* by client:cursor for did:web:example.org when repo.owner = "my org" and count <= 100 and branch not in [main, "release 1"]',
    );
    expect(pattern).toMatchObject({
      kind: 'tool',
      target: {
        by: 'server-and-tool',
        server: { text: 'github', exact: true },
        tool: { text: 'create_*', exact: false },
      },
      caller: { text: 'client:cursor' },
      agent: { text: 'did:web:example.org' },
      conditions: [
        { path: ['repo', 'owner'], negated: false, operator: '=', literals: [{ text: 'my org', number: undefined }] },
        { path: ['count'], operator: '<=', literals: [{ text: '100', number: 100 }] },
        { path: ['branch'], negated: true, operator: 'in', literals: [{ text: 'main' }, { text: 'release 1' }] },
      ],
    });
  });

  it.each([
    ['*', { by: 'handle-name' }],
    ['files__write', { by: 'handle-name', handleName: { text: 'files__write', exact: true } }],
    ['*.delete_*', { by: 'server-and-tool', server: { text: '*' }, tool: { text: 'delete_*' } }],
    ['srv.a.b', { by: 'server-and-tool', server: { text: 'srv' }, tool: { text: 'a.b' } }],
    ['files.file:///srv/[x],y', { server: { text: 'files' }, tool: { text: 'file:///srv/[x],y' } }],
    ['"srv.odd tool"', { server: { text: 'srv' }, tool: { text: 'odd tool' } }],
  ])('understands the target %s', (text, target) => {
    expect(readPattern(text).target).toMatchObject(target);
  });

  it.each([
    ['', 1, 'a target such as'],
    ['github', 1, 'for a whole server write github.*'],
    ['github. by operator', 8, 'a tool name or * must follow the dot'],
    ['gi!t.x', 1, 'a server is written with'],
    ['github.* by cursor', 13, 'operator, library or client:NAME'],
    ['github.* for alice', 14, 'an agent: did:'],
    ['github.* whenever x = 1', 10, 'by CALLER, for AGENT, when CONDITION'],
    ['a.b when', 9, 'the name of an argument is missing'],
    ['a.b when x', 11, 'one of = !='],
    ['a.b when x is 3', 12, 'a comparison is one of'],
    ['a.b when x =', 13, 'a value'],
    ['a.b when x < many', 14, 'compares with a number'],
    ['a.b when x in main', 15, 'a list such as'],
    ['a.b when x in [main', 20, 'a value or ]'],
    ['a.b when x = 1 or y = 2', 16, 'only and or the end'],
    ['a.b when x = "open', 14, 'no closing quote'],
    ['a.b when x. = 1', 10, 'an argument is named like'],
  ])('says where %j cannot be read and what is allowed there', (text, character, allowed) => {
    expect(() => readPattern(text)).toThrow(`at character ${character}:`);
    expect(() => readPattern(text)).toThrow(allowed);
  });

  it('keeps what it understood of the reach before the place it could not read', () => {
    expect(parsePattern('resource files.* when path near /srv')).toMatchObject({
      kind: 'resource',
      target: { server: { text: 'files' }, tool: { text: '*' } },
    });
    expect(parsePattern('???')).toMatchObject({ target: undefined });
  });

  it('never throws, whatever the text', () => {
    const word = fc.constantFrom(
      'a.b',
      '*',
      'by',
      'for',
      'when',
      'and',
      'not',
      'in',
      '[',
      ']',
      ',',
      '"',
      '=',
      '<',
      '1',
      'x',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map(words => words.join(' ')),
        ),
        text => {
          const parsed = parsePattern(text);
          expect('problem' in parsed ? parsed.position : 0).toBeLessThanOrEqual(text.length);
          expect(canonicalPattern(canonicalPattern(text))).toBe(canonicalPattern(text));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('has one spelling for what differs only in white space', () => {
    expect(canonicalPattern('  a.b   when  x in [ main,"two words" ] ')).toBe('a.b when x in [ main , "two words" ]');
    expect(readPattern(canonicalPattern('a.b when x in [main,"two words"]'))).toEqual(
      readPattern('a.b when x in [main,"two words"]'),
    );
  });
});

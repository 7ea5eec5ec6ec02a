import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittingTemplates, matchesTemplate } from './uri-template.ts';

interface Given {
  readonly name: string;
  readonly value: string | null;
}

/** RFC 6570, appendix A: what stands first, what stands between, whether values have names. */
const operators = new Map([
  ['', { first: '', between: ',', named: false }],
  ['+', { first: '', between: ',', named: false }],
  ['#', { first: '#', between: ',', named: false }],
  ['.', { first: '.', between: '.', named: false }],
  ['/', { first: '/', between: '/', named: false }],
  [';', { first: ';', between: ';', named: true }],
  ['?', { first: '?', between: '&', named: true }],
  ['&', { first: '&', between: '&', named: true }],
]);

/** What an expression expands to by the standard; a variable without a value is left out. */
function expanded(operator: string, variables: readonly Given[]): string {
  const { first = '', between = '', named = false } = operators.get(operator) ?? {};
  const texts = variables.flatMap(({ name, value }) => {
    if (value === null) return [];
    const text = operator === '+' || operator === '#' ? encodeURI(value) : encodeURIComponent(value);
    return [named ? `${name}=${text}` : text];
  });
  return texts.length === 0 ? '' : first + texts.join(between);
}

describe('a URI and a template (RFC 6570)', () => {
  it.each([
    ['file:///notes/{name}', 'file:///notes/today.md'],
    ['file:///notes/{name}', 'file:///notes/'],
    ['file:///notes/{name}', 'file:///notes/with space and ä'],
    ['db://{table}/{id}', 'db://users/7'],
    ['db://{x,y}', 'db://1,2'],
    ['file:///{+path}', 'file:///a/b?c#d'],
    ['{+uri}', 'demo://anything/at:all'],
    ['page:{#section}', 'page:#one'],
    ['page:{#section}', 'page:'],
    ['file{.ext}', 'file.tar.gz'],
    ['x:{/a,b}', 'x:/1/2'],
    ['x:{/a,b}', 'x:/1'],
    ['x:{/path*}/end', 'x:/1/2/3/end'],
    ['x:y{;a,b}', 'x:y;a=1;b'],
    ['x:y{?q,lang}', 'x:y?q=1&lang=de'],
    ['x:y{?q,lang}', 'x:y?lang=de/at&q='],
    ['x:y{?q,lang}', 'x:y'],
    ['x:y?fixed=1{&q}', 'x:y?fixed=1&q=2'],
    ['x:y{?all*}', 'x:y?whatever=1&else=2'],
    ['x:{name:3}', 'x:abc'],
    ['no template', 'no template'],
    ['broken{', 'broken{'],
    ['{}', '{}'],
    ['{+a}{+b}end', 'xend'],
  ])('%s takes %s', (template, uri) => {
    expect(matchesTemplate(template, uri)).toBe(true);
  });

  it.each([
    ['file:///notes/{name}', 'file:///notes/../secret'],
    ['file:///notes/{name}', 'file:///notes/a?b'],
    ['file:///notes/{name}', 'file:///other/a'],
    ['db://{table}/{id}', 'db://users'],
    ['x:{/a,b}', 'x:/1/2/3'],
    ['x:y{?q}', 'x:y?other=1'],
    ['x:y{?q}', 'x:y&q=1'],
    ['x:y{?q}', 'x:y?q=1#f'],
    ['x:{/path*}/end', 'x:/1/2/3/en'],
    ['no template', 'no template '],
    ['broken{', 'broken'],
    ['{not a name}', 'x'],
    ['x:{a}', `x:${'a'.repeat(20_000)}`],
  ])('%s does not take %s', (template, uri) => {
    expect(matchesTemplate(template, uri)).toBe(false);
  });

  const name = fc.stringMatching(/^[a-z]{1,4}$/);
  const value = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
  const given = fc.record({ name, value: fc.option(value) });
  const piece = fc.oneof(
    fc.stringMatching(/^[a-z:/]{1,4}$/).map(text => ({ template: text, uri: text })),
    fc
      .tuple(
        fc.constantFrom(...operators.keys()),
        fc.uniqueArray(given, { minLength: 1, maxLength: 3, selector: one => one.name }),
      )
      .map(([operator, variables]) => ({
        template: `{${operator}${variables.map(one => one.name).join()}}`,
        uri: expanded(operator, variables),
      })),
  );

  it('takes whatever a template expands to', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), pieces => {
        const template = pieces.map(one => one.template).join('');
        expect(matchesTemplate(template, pieces.map(one => one.uri).join(''))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('never lets a plain variable reach over a delimiter', () => {
    const free = fc.stringMatching(/^[^/?#]*$/);
    fc.assert(
      fc.property(free, free, fc.constantFrom('/', '?', '#'), (left, right, delimiter) => {
        expect(matchesTemplate('x:{a}', `x:${left}${right}`)).toBe(true);
        expect(matchesTemplate('x:{a}', `x:${left}${delimiter}${right}`)).toBe(false);
      }),
    );
  });

  it('answers at once, whatever it is given', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (template, uri) => void matchesTemplate(template, uri)));
    const began = performance.now();
    expect(matchesTemplate('{+a}'.repeat(300), `${'a'.repeat(16_000)}`)).toBe(true);
    expect(matchesTemplate(`${'{a}{?b}'.repeat(150)}!`, `${'a?b=1&b=2'.repeat(1_000)}`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it.each([
    '{a}',
    '{+a}',
    '{?b}',
    '{&b*}',
    '{;b}',
    '{/b*}',
    '{#b}',
    '{.b}',
    '?{?b*}',
    'a{+a}',
    '{+a}{?b,c,d,e}aaaaaaaa',
  ])(
    'S9: 300 templates of 16 KB of %s hold up no read',
    piece => {
      const plain = 'note:{name}';
      for (const size of [16_384, 2_040]) {
        const template = piece.repeat(Math.floor(size / piece.length));
        for (const uri of ['?', '&b=1', '/b?c#d'].map(text => text.repeat(16_000 / text.length))) {
          const began = performance.now();
          fittingTemplates(
            [...Array.from({ length: 300 }, () => template), plain],
            text => text,
            () => uri,
          );
          expect(performance.now() - began).toBeLessThan(10_000);
        }
        expect(
          fittingTemplates(
            [template, plain],
            text => text,
            () => 'note:x',
          ),
        ).toContain(plain);
      }
    },
    120_000,
  );
});

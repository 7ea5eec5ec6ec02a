import { UriTemplate } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesTemplate } from './uri-template.ts';

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
  // What the SDK makes of more than this is not what the standard says.
  const one = fc.tuple(fc.constantFrom('', '+', '#', '.', '/'), name).map(([op, only]) => `{${op}${only}}`);
  const piece = fc.oneof(fc.stringMatching(/^[a-z:]{1,4}$/), one);
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
  const query = fc.oneof(
    fc.constant(''),
    names.map(all => `{?${all.join()}}`),
    names.map(all => `?fixed=1{&${all.join()}}`),
  );
  const value = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });

  it('takes whatever another implementation makes of a template', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), query, fc.infiniteStream(value), (pieces, end, values) => {
        const template = pieces.join('') + end;
        const parsed = new UriTemplate(template);
        const given = parsed.variableNames.map(each => [each, values.next().value ?? ''] as const);
        expect(matchesTemplate(template, parsed.expand(Object.fromEntries(given)))).toBe(true);
      }),
      { numRuns: 2_000 },
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
});

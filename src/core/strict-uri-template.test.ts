import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asWritten, strictUriTemplate, variableOf } from './strict-uri-template.ts';
import { matchesTemplate } from './uri-template.ts';

describe('a URI template for strict parsers', () => {
  it.each([
    'file:///{path}',
    'a://{+x,y*}/{z:3}{?q,r}{#f}',
    "it's://ok/%20/ü/日本",
    'plain://no/variables',
    '{a.b}{_c}',
    '',
  ])('is %j itself', template => {
    expect(strictUriTemplate(template)).toBe(template);
  });

  it.each([
    ['odd://{a', 'odd://%7Ba'],
    ['odd://a}', 'odd://a%7D'],
    ['odd://{}', 'odd://%7B%7D'],
    ['odd://{a,}', 'odd://%7Ba,%7D'],
    ['odd://{{a}}', 'odd://%7B{a}%7D'],
    ['users://{user-id}', 'users://{user%2Did}'],
    ['odd://{=x}', 'odd://{%3Dx}'],
    ['odd://{x:0}', 'odd://{x%3A0}'],
    ['odd://{.}{..a}', 'odd://%7B.%7D{%2E.a}'.replace('{%2E.a}', '%7B..a%7D')],
    ['file:///a b/{x}', 'file:///a%20b/{x}'],
    ['a://100%/{x}', 'a://100%25/{x}'],
    ['a://"<>\\^`|/{x}', 'a://%22%3C%3E%5C%5E%60%7C/{x}'],
    ['a://\ufffd', 'a://%EF%BF%BD'],
  ])('is made of %j as %j', (template, strict) => {
    expect(strictUriTemplate(template)).toBe(strict);
  });

  it('is strict whatever it was made of, and stays as it is from then on', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '{a}',
      '{b-c}',
      ',',
      '.',
      '+',
      '%',
      '%2',
      '%41',
      ' ',
      'x',
      '😀',
      '*',
      ':3',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), parts => {
        const strict = strictUriTemplate(parts.join(''));
        expect(strictUriTemplate(strict)).toBe(strict);
        expect(strict).toMatch(/^(?:[^{}%\s]|%[\dA-Fa-f]{2}|\{[+#./;?&]?[^{}\s]+\})*$/u);
      }),
    );
  });

  it('has its variables under their own names', () => {
    expect(variableOf('users://{user-id}/{x*}', 'user%2Did')).toBe('user-id');
    expect(variableOf('users://{user-id}/{x*}', 'x')).toBe('x');
    expect(variableOf('users://{user-id}', 'other')).toBe('other');
  });

  it('leads back to the URIs that its server means', () => {
    expect(asWritten('file:///a b/{x} c', 'file:///a%20b/1%20c')).toBe('file:///a b/1 c');
    expect(asWritten('file:///a b/{x}', 'file:///a b/1')).toBe('file:///a b/1');
    expect(asWritten('users://{user-id}', 'users://7')).toBe('users://7');
  });

  it('is matched by what its expressions expand to', () => {
    expect(matchesTemplate(strictUriTemplate('users://{user-id}/x'), 'users://7/x')).toBe(true);
  });
});

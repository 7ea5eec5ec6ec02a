const braces = /\{([+#./;?&]?)([^{}]*)\}/g;
/** What needs no second look. */
const plain = /^(?:[!#$&-;=?-[\]_a-z~]|\{[+#./;?&]?\w+(?:\*|:[1-9]\d{0,3})?(?:,\w+(?:\*|:[1-9]\d{0,3})?)*\})*$/;

/**
 * The template as RFC 6570 spells it, for parsers that refuse a list with one that is none: what may not stand in a literal
 * or in the name of a variable is percent-encoded. The text itself where nothing is wrong. It must be well-formed Unicode.
 */
export function strictUriTemplate(template: string): string {
  if (plain.test(template)) return template;
  let strict = '';
  let at = 0;
  for (const { 0: whole, 1: operator = '', 2: inner = '', index } of template.matchAll(braces)) {
    const variables = inner.split(',').map(strictVariable);
    if (variables.includes(undefined)) continue;
    strict += `${encoded(template.slice(at, index), notInLiteral)}{${operator}${variables.join(',')}}`;
    at = index + whole.length;
  }
  return strict + encoded(template.slice(at), notInLiteral);
}

/** What a variable of a strict template is called in the template it was made of. */
export function variableOf(template: string, name: string): string {
  const known = [...template.matchAll(braces)].flatMap(([, , inner = '']) => inner.split(',').map(nameIn));
  return known.find(one => encoded(one, notInVariable) === name) ?? name;
}

/** What a URI that fits the strict template is for whoever wrote the template: its literals in their own spelling. */
export function asWritten(template: string, uri: string): string {
  if (plain.test(template)) return uri;
  let written = '';
  let at = 0;
  let rest = uri;
  for (const match of [...template.matchAll(braces), undefined]) {
    const literal = template.slice(at, match?.index);
    const strict = encoded(literal, notInLiteral);
    at = match === undefined ? template.length : match.index + match[0].length;
    const found = rest.indexOf(strict);
    if (found < 0) return uri;
    written += rest.slice(0, found) + literal;
    rest = rest.slice(found + strict.length);
  }
  return written + rest;
}

function nameIn(variable: string): string {
  return variable.replace(/(\*|:[1-9]\d{0,3})$/, '');
}

function strictVariable(variable: string): string | undefined {
  const name = nameIn(variable);
  if (name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('..')) return undefined;
  return encoded(name, notInVariable) + variable.slice(name.length);
}

/** What may not stand in a literal, and in the name of a variable; what is percent-encoded already may. */
const notInLiteral =
  /%(?![\dA-Fa-f]{2})|[\0- "<>\\^`{|}\x7f-\x9f\ufff0-\uffff\u{e0000}-\u{e0fff}\p{Noncharacter_Code_Point}]/gu;
const notInVariable = /%(?![\dA-Fa-f]{2})|[^\w.%]/gu;

function encoded(text: string, wrong: RegExp): string {
  return text.replaceAll(wrong, character => {
    const bytes = Buffer.from(character);
    return Array.from(bytes, byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}

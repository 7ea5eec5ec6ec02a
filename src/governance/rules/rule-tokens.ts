/** One word of a rule's text. */
export interface Token {
  readonly text: string;
  /** Written in double quotes: a value or name, never a word of the grammar. */
  readonly quoted: boolean;
  /** Characters before it. */
  readonly position: number;
  /** A quote that nothing closes. */
  readonly unclosed: boolean;
}

/**
 * Splits a rule's text at white space; double quotes keep a text together, with `\"` and `\\` inside. After `in` the
 * brackets and commas of a list are words of their own; anywhere else they are ordinary characters (URIs have them).
 */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let inList = false;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const last = found.at(-1);
    const opens = rest.startsWith('[') && last?.text === 'in' && !last.quoted;
    const mark: string | false | undefined = (opens || (inList && /^[\],]/.test(rest))) && rest[0];
    const quoted = /^"((?:[^"\\]|\\.)*)("?)/.exec(rest);
    let length: number;
    if (mark) {
      length = 1;
      inList = mark !== ']';
      found.push({ text: mark, quoted: false, position: at, unclosed: false });
    } else if (quoted) {
      length = quoted[0].length;
      const inner = (quoted[1] ?? '').replaceAll(/\\(.)/g, '$1');
      found.push({ text: inner, quoted: true, position: at, unclosed: quoted[2] === '' });
    } else {
      const word = (inList ? /^[^\s,\]]+/ : /^\S+/).exec(rest)?.[0] ?? '';
      length = word.length;
      found.push({ text: word, quoted: false, position: at, unclosed: false });
    }
    at += length;
  }
  return found;
}

/**
 * Splits a line as a POSIX shell does, with quotes and backslashes and nothing else: variables and substitutions stay as
 * they are written. A backslash before a newline joins lines. A quote that has no end goes to the end of the line.
 */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let isWord = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const one = line.charAt(at);
    if (quote !== '') {
      if (one === quote) quote = '';
      else if (one === '\\' && quote === '"' && /["\\$`\n]/.test(line.charAt(at + 1))) {
        at += 1;
        if (line.charAt(at) !== '\n') word += line.charAt(at);
      } else word += one;
    } else if (one === '"' || one === "'") {
      quote = one;
      isWord = true;
    } else if (one === '\\' && at + 1 < line.length) {
      at += 1;
      const next = line.charAt(at);
      if (next === '\r' && line.charAt(at + 1) === '\n') at += 1;
      else if (next !== '\n') {
        word += next;
        isWord = true;
      }
    } else if (/\s/.test(one)) {
      if (isWord) words.push(word);
      word = '';
      isWord = false;
    } else {
      word += one;
      isWord = true;
    }
  }
  return isWord ? [...words, word] : words;
}

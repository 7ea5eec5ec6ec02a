/**
 * The first `most` UTF-16 units of a text, `ending` included where it was longer. Never ends in half of a pair: strict
 * parsers (Python's, Rust's) refuse the whole message around a lone surrogate.
 */
export function cut(text: string, most: number, ending = ''): string {
  if (text.length <= most) return text;
  const end = Math.max(0, most - ending.length);
  return text.slice(0, end > 0 && isFirstHalf(text, end - 1) ? end - 1 : end) + ending;
}

function isFirstHalf(text: string, at: number): boolean {
  const [unit, next] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  return unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000;
}

/** Everything that shows nothing, moves the cursor, or turns the direction of what follows; but not what emoji are made of. */
const unseen =
  /(?!\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}|(?<!\p{Extended_Pictographic}\p{M}*)\u200d/gu;

/**
 * A text of somebody else (a server, a client, a web page) as one line that shows exactly what is in it: control codes,
 * line breaks, invisible and direction-changing characters are written as `\n`, `\t` or `\u{1b}`.
 */
export function visibleText(text: string): string {
  return text.replace(unseen, character => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u3029\u3030-\u303e\u30a0-\u30ff\uff01-\uff60\uffe0-\uffe6]/u;

/** How many columns of a terminal a text takes that has no control characters. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemes(text).reduce((width, grapheme) => width + (wide.test(grapheme) ? 2 : 1), 0);
}

/** A text cut to a width, with … in the place of what was cut. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = '';
  let left = width - 1;
  for (const grapheme of graphemes(text)) {
    left -= textWidth(grapheme);
    if (left < 0) break;
    cut += grapheme;
  }
  return `${cut.trimEnd()}…`;
}

function graphemes(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
}

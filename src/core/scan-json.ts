/** What one pass over a JSON text finds, before anything is made of it. */
export interface JsonScan {
  /** Lists and objects inside each other. */
  readonly depth: number;
  /** About how many values there are: one more than the commas, lists and objects. */
  readonly values: number;
  /** True if a number would not be printed as it is written: `1.0`, `1e400`, more digits than a double has. */
  readonly inexact: boolean;
  /** True if NaN or an Infinity stands outside strings, which is no JSON. */
  readonly hasNaN: boolean;
}

const [quote, backslash, comma, minus] = [0x22, 0x5c, 0x2c, 0x2d];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const numberToken = /-?[\d.eE+-]+/y;
const nanToken = /-?(?:NaN|Infinity)\b/y;
/** So many digits a double always has. */
const exactDigits = 15;

/** Looks over a text in linear time and without recursion; of a text that is no JSON it says something, too. Never throws. */
export function scanJson(text: string): JsonScan {
  const found = { depth: 0, values: 1, inexact: false, hasNaN: false };
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === comma) found.values += 1;
    else if (code === openObject || code === openList) {
      depth += 1;
      found.values += 1;
      if (depth > found.depth) found.depth = depth;
    } else if (code === closeObject || code === closeList) depth -= 1;
    else if (code === minus || (code >= 0x30 && code <= 0x39)) {
      const token = tokenAt(numberToken, text, index);
      // Of `-Infinity` only the sign is one of a number.
      if (token === '-') continue;
      found.inexact ||= !isPrintedBack(token);
      index += token.length - 1;
    } else if (code === 0x4e || code === 0x49) {
      const token = tokenAt(nanToken, text, index);
      found.hasNaN ||= token !== '';
    }
  }
  return found;
}

/** The place of the quote that ends the string which begins there; the end of the text if none does. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** True if JavaScript prints the number as it is written. */
export function isPrintedBack(token: string): boolean {
  if (token.length <= exactDigits && /^(?:0|-?[1-9]\d*)$/.test(token)) return true;
  return String(Number(token)) === token;
}

function tokenAt(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? '';
}

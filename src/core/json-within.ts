import { endOfString } from './scan-json.ts';

/**
 * The JSON objects that stand in a text between other things, each as the place of its `{` and the place behind its `}`;
 * at most so many. One that is not closed ends the search. Linear in the text for each object that is looked at.
 */
export function* objectsWithin(text: string, most: number): Generator<readonly [start: number, end: number]> {
  let from = 0;
  for (let looked = 0; looked < most; looked += 1) {
    const start = text.indexOf('{"', from);
    if (start === -1) return;
    const end = endOfObject(text, start);
    if (end === undefined) {
      from = start + 1;
      continue;
    }
    yield [start, end];
    from = end;
  }
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

/** The text with null for each NaN, Infinity and -Infinity outside strings, which some languages write as numbers. */
export function withoutNaN(text: string): string {
  const pattern = /"|-?\b(?:NaN|Infinity)\b/g;
  let cleaned = '';
  let copied = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (found[0] === '"') {
      pattern.lastIndex = endOfString(text, found.index) + 1;
      continue;
    }
    cleaned += `${text.slice(copied, found.index)}null`;
    copied = pattern.lastIndex;
  }
  return cleaned + text.slice(copied);
}

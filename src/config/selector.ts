import { LongshoreError } from '../core/errors.ts';

const surroundingWhitespace = /^[\p{White_Space}\uFEFF]|[\p{White_Space}\uFEFF]$/u;

/** True if a text begins or ends with Unicode whitespace, a no-break space or a byte order mark included (R70). */
export function hasSurroundingWhitespace(text: string): boolean {
  return surroundingWhitespace.test(text);
}

/** A text in quotes in which every character that cannot be seen is written as an escape. */
function visibly(text: string): string {
  return JSON.stringify(text).replace(
    /[^\P{White_Space} ]|\uFEFF/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * What a person typed to name a server, an image, a catalog entry or something to unload, unchanged. Throws `usage` if
 * it is empty or has surrounding whitespace: nothing is trimmed (R70).
 */
export function selector(text: string): string {
  if (text === '') throw new LongshoreError('usage', 'A server is named by at least one character.');
  if (hasSurroundingWhitespace(text)) {
    throw new LongshoreError('usage', `${visibly(text)} begins or ends with whitespace. Write it without.`);
  }
  return text;
}

/** The elements of a comma-separated list, each checked as a selector (R70). */
export function selectorList(text: string): readonly string[] {
  return text.split(',').map(selector);
}

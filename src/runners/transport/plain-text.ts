import { stripVTControlCharacters } from 'node:util';

/** A server's line as text that is safe to show on a terminal: no colours, no cursor moves, no control characters. */
export function plainText(line: string): string {
  return stripVTControlCharacters(line)
    .replaceAll(/\p{Cc}/gu, ' ')
    .trimEnd();
}

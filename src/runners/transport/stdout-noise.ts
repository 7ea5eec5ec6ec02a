import type { Diagnostic } from '../../core/words.ts';
import { plainText } from './plain-text.ts';

/** What a server printed on stdout that is no message: counted, and the first and last lines kept. */
export interface StdoutNoise {
  /** Gives back the line as it was kept: without control codes, cut. */
  add(line: Buffer): string;
  diagnostics(): readonly Diagnostic[];
}

const keptLines = 20;
const keptCharacters = 300;

/** `hide` takes secrets out of a line. */
export function createStdoutNoise(hide: (line: string) => string): StdoutNoise {
  let count = 0;
  let first = '';
  const last: string[] = [];
  return {
    add(line) {
      const start = line.subarray(0, 4 * keptCharacters).toString();
      const text = hide(plainText(start).trim()).slice(0, keptCharacters);
      if (count++ === 0) first = text;
      last.push(text);
      if (last.length > keptLines) last.shift();
      return text;
    },
    diagnostics() {
      if (count === 0) return [];
      const lines = count === 1 ? 'a line' : `${count} lines`;
      return [
        {
          code: 'stdout-noise',
          message: `The server printed ${lines} on stdout that are no MCP messages, such as ${JSON.stringify(first)}. They were skipped; its author should print them on stderr.`,
          data: { count, lines: [...last] },
        },
      ];
    },
  };
}

import { stripVTControlCharacters } from 'node:util';
import type { Diagnostic } from '../../core/words.ts';

/** What a server printed on stdout that is no message: counted, and the first and last lines kept (docker-problems row 26). */
export interface StdoutNoise {
  /** Gives back the line as it was kept: without control codes, cut. */
  add(line: Buffer): string;
  diagnostics(): readonly Diagnostic[];
}

const keptLines = 20;
const keptCharacters = 300;

export function createStdoutNoise(): StdoutNoise {
  let count = 0;
  let first = '';
  const last: string[] = [];
  return {
    add(line) {
      const text = stripVTControlCharacters(line.subarray(0, 4 * keptCharacters).toString())
        .trim()
        .slice(0, keptCharacters);
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

import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { drained } from './transport/drained.ts';
import { createLineReader } from './transport/line-reader.ts';
import { plainText } from './transport/plain-text.ts';

/** The last lines of a stream that is always read to its end, so that its writer never blocks. */
export interface StderrRing {
  /** Oldest first, without control codes. */
  tail(): readonly string[];
  /** How many lines there were in all, those included that are not kept any more. */
  count(): number;
  /** Takes a line of another stream of the same process in, in the order in which it came. */
  add(line: string): void;
  /** Resolves when all is read that was written before the process exited. */
  readonly drained: () => Promise<void>;
}

/** What a ring is made of. */
export interface StderrRingOptions {
  readonly stream: Readable;
  readonly clock: Clock;
  /** Gets every line as `debug`. */
  readonly log: Log;
  /** Takes secrets out of a line. */
  readonly hide: (line: string) => string;
  /** Also hears every line. */
  readonly onLine?: (line: string) => void;
}

const maxLines = 200;
const maxCharacters = 64 * 1024;
const maxLineBytes = 8 * 1024;

/** Starts reading at once. */
export function createStderrRing({ stream, clock, log, hide, onLine }: StderrRingOptions): StderrRing {
  const lines: string[] = [];
  let characters = 0;
  let count = 0;

  function add(raw: string): void {
    const line = hide(plainText(raw));
    lines.push(line);
    count += 1;
    characters += line.length;
    while (lines.length > maxLines || characters > maxCharacters) characters -= lines.shift()?.length ?? 0;
    log.debug({ stderr: line }, 'the server wrote to stderr');
    onLine?.(line);
  }

  const reader = createLineReader({
    maxBytes: maxLineBytes,
    onLine: line => add(line.toString('utf8')),
    onOversized: ({ head, bytes }) => add(`${head}… (${bytes} bytes)`),
  });
  stream.on('data', (chunk: Buffer) => reader.push(chunk));
  stream.on('end', () => reader.end());
  stream.on('error', () => undefined); // the process is gone, which its exit tells

  return {
    tail: () => [...lines],
    count: () => count,
    add,
    async drained() {
      await drained(stream, clock);
      reader.end();
    },
  };
}

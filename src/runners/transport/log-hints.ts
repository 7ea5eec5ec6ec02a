import type { Readable } from 'node:stream';
import { createLineReader } from './line-reader.ts';
import { plainText } from './plain-text.ts';

/** A log line is short; what is longer is a message of the protocol. */
const maxLineBytes = 8 * 1024;

/**
 * Also hears a container's stdout line by line, without control codes: servers that only serve HTTP often log there.
 * Returns the way to stop.
 */
export function listenForHints(stdout: Readable, onLine: (line: string) => void): () => void {
  const reader = createLineReader({
    maxBytes: maxLineBytes,
    onLine: line => onLine(plainText(line.toString('utf8'))),
    onOversized: () => undefined,
  });
  const push = (chunk: Buffer): void => reader.push(chunk);
  stdout.on('data', push);
  return () => stdout.off('data', push);
}

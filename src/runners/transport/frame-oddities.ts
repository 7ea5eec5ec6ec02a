import type { Diagnostic } from '../../core/words.ts';
import type { Oddity } from './read-frames.ts';

/** Counts what was odd about a server's messages, for its diagnostics. */
export interface FrameOddities {
  note(oddity: Oddity): void;
  diagnostics(): readonly Diagnostic[];
}

const told: Readonly<Record<Oddity, readonly [code: string, message: string]>> = {
  nan: ['not-a-number', 'had NaN or Infinity in it, which JSON does not have; they were read as null'],
  glued: [
    'glued-message',
    'stood on a line with other text; its author should end each print with a line end, on stderr',
  ],
  unreadable: ['unreadable-message', 'could not be read; whoever waited for them was told'],
};

/** Counts for one wire. */
export function createFrameOddities(): FrameOddities {
  const counts = new Map<Oddity, number>();
  return {
    note(oddity) {
      counts.set(oddity, (counts.get(oddity) ?? 0) + 1);
    },
    diagnostics() {
      return [...counts].map(([oddity, count]) => {
        const [code, message] = told[oddity];
        return { code, message: `Messages of the server (${count}) ${message}.`, data: { count } };
      });
    },
  };
}

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where log lines go. */
export interface LogFile {
  /** Appends one line, with its line break. Never throws: a full disk must not stop the service. */
  write(line: string): void;
}

export interface LogFileOptions {
  readonly path: string;
  /** Bytes after which the file becomes `<path>.1`, in the place of an earlier one. */
  readonly mostBytes: number;
  /** Takes the secrets out of a line (S15). */
  readonly mask: (line: string) => string;
}

/**
 * A log file of its owner alone that never grows without end: the file and the one before it are kept. Each line is
 * written at once, so that the last words before a crash are there.
 */
export function createLogFile({ path, mostBytes, mask }: LogFileOptions): LogFile {
  let size: number | undefined;
  return {
    write(line) {
      const text = `${mask(line.trimEnd())}\n`;
      try {
        size ??= sizeOf(path);
        if (size > 0 && size + text.length > mostBytes) {
          renameSync(path, `${path}.1`);
          size = 0;
        }
        appendFileSync(path, text, { mode: 0o600 });
        size += Buffer.byteLength(text);
      } catch {
        size = undefined;
      }
    },
  };
}

/** Makes the folder where it is missing. */
function sizeOf(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

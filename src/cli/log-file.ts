import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../core/make-folder.ts';

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
  let isFolderMade = false;
  return {
    write(line) {
      const text = `${mask(line.trimEnd())}\n`;
      try {
        // Once: a home that was removed meanwhile is not made again by a line about it.
        if (!isFolderMade) makeFolder(dirname(path));
        isFolderMade = true;
        size ??= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
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

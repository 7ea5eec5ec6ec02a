import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { readPrivateFile } from '../core/private-file.ts';

/** One small private file outside the database that is replaced as a whole. */
export interface CheckpointFile {
  /** Its text; `undefined` if there is none. */
  read(): string | undefined;
  /** On disk when it resolves; a reader sees the old text or the new one, never a half. */
  replace(text: string): Promise<void>;
}

/** The file at that path; its folder exists. */
export function checkpointFile(path: string): CheckpointFile {
  return {
    read: () => readPrivateFile(path),
    async replace(text) {
      const draft = `${path}.${randomBytes(6).toString('hex')}`;
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          await file.writeFile(text);
          await file.datasync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
  };
}

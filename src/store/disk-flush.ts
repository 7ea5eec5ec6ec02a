import { type FileHandle, open } from 'node:fs/promises';

/** Brings what was committed to the disk, beside the program: a commit itself waits for the operating system alone. */
export interface DiskFlush extends AsyncDisposable {
  /** Something was committed; it is on the disk in a few milliseconds. */
  committed(): void;
  /** Resolves when everything committed by now is on the disk. Rejects with what the file system says. */
  toDisk(): Promise<void>;
}

/** What a power cut can take of calls and outcomes, and how often a busy service flushes. */
const soonMilliseconds = 20;

/** A file that can be flushed; it is opened when that is first asked for. */
export interface FlushedFile {
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The file at that path. */
export function flushedFile(path: string): FlushedFile {
  let file: Promise<FileHandle> | undefined;
  return {
    async flush() {
      // Windows flushes only what may be written.
      file ??= open(path, 'r+');
      await (await file).datasync();
    },
    async close() {
      await (await file?.catch(() => undefined))?.close();
    },
  };
}

/**
 * Flushes one file of a database, SQLite's write-ahead log. SQLite itself does so at its checkpoints (`synchronous =
 * normal`), which keeps the database whole whatever happens; this bounds how much of its end a power cut can take.
 * A process that is killed loses nothing either way.
 */
export function diskFlush(file: FlushedFile): DiskFlush {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let isClosed = false;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    await file.flush();
  }

  /** One that began before now may have missed the last commit, so it is waited for and followed by another. */
  function toDisk(): Promise<void> {
    if (running === undefined) {
      running = flush().finally(() => (running = undefined));
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return toDisk();
      });
    return next;
  }

  return {
    committed() {
      // What comes with the end is flushed by SQLite as it closes.
      if (isClosed) return;
      // A disk that fails here fails the next commit too, which is told to whoever waits for that.
      timer ??= setTimeout(() => void toDisk().catch(() => {}), soonMilliseconds).unref();
    },
    toDisk,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      await (next ?? running)?.catch(() => {});
      await file.close();
    },
  };
}

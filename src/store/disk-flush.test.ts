import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { diskFlush, flushedFile } from './disk-flush.ts';

/** A file whose flushes end when the test says so. */
function slowFile() {
  const begun: PromiseWithResolvers<void>[] = [];
  return {
    begun,
    flush() {
      const flush = Promise.withResolvers<void>();
      begun.push(flush);
      return flush.promise;
    },
    close: () => Promise.resolve(),
  };
}

describe('flushing what was committed', () => {
  it('happens soon, once for all that came together, and not without a commit', async () => {
    const file = slowFile();
    await using disk = diskFlush(file);
    await pause(40);
    expect(file.begun).toHaveLength(0);
    disk.committed();
    disk.committed();
    await vi.waitFor(() => expect(file.begun).toHaveLength(1));
    file.begun[0]?.resolve();
    await pause(40);
    expect(file.begun).toHaveLength(1);
  });

  it('is waited for by a flush that began after the commit: one under way may have missed it', async () => {
    const file = slowFile();
    await using disk = diskFlush(file);
    const first = disk.toDisk();
    let isOnDisk = false;
    const second = disk.toDisk().then(() => (isOnDisk = true));
    const third = disk.toDisk();
    file.begun[0]?.resolve();
    await first;
    await vi.waitFor(() => expect(file.begun).toHaveLength(2));
    expect(isOnDisk).toBe(false);
    file.begun[1]?.resolve();
    await Promise.all([second, third]);
    expect(file.begun).toHaveLength(2);
  });

  it('is over with the end: a commit after it opens nothing anew', async () => {
    const file = slowFile();
    const disk = diskFlush(file);
    await disk[Symbol.asyncDispose]();
    disk.committed();
    await pause(40);
    expect(file.begun).toHaveLength(0);
  });

  it('tells a failing disk to whoever waits, and works again once the disk does', async () => {
    const file = slowFile();
    await using disk = diskFlush(file);
    const failed = disk.toDisk();
    const after = disk.toDisk();
    file.begun[0]?.reject(new Error('EIO'));
    await expect(failed).rejects.toThrow('EIO');
    await vi.waitFor(() => expect(file.begun).toHaveLength(2));
    file.begun[1]?.resolve();
    await after;
  });

  it('of a real file works, and of one that is not there rejects', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-'));
    const path = join(folder, 'x.db-wal');
    await using missing = diskFlush(flushedFile(path));
    await expect(missing.toDisk()).rejects.toThrow('ENOENT');
    writeFileSync(path, 'x');
    await using disk = diskFlush(flushedFile(path));
    await disk.toDisk();
    rmSync(folder, { recursive: true });
  });
});

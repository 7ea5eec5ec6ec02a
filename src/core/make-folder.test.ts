import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'longshore-folder-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const refused = (path: string) => expect.objectContaining({ code: 'bad-setting', data: { path } }) as Error;

describe('making a folder', () => {
  it('makes it and those above it for their owner alone, tells which, and makes none twice', () => {
    const made = makeFolder(join(parent, 'a', 'b'));
    expect(made).toEqual([join(parent, 'a'), join(parent, 'a', 'b')]);
    expect(made.map(folder => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(makeFolder(join(parent, 'a', 'b'))).toEqual([]);
  });

  it('says in one sentence where a file is in the way', () => {
    writeFileSync(join(parent, 'file'), '');
    for (const path of [join(parent, 'file'), join(parent, 'file', 'below', 'it')]) {
      expect(() => makeFolder(path)).toThrow(refused(path));
    }
  });

  it.runIf(process.platform === 'linux')('returns at once where a file system takes no new folders', () => {
    expect(() => makeFolder('/proc/longshore/home')).toThrow(refused('/proc/longshore/home'));
  });
});

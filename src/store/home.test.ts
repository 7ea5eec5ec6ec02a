import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomId } from '../core/ids.ts';
import { type Home, openHome } from './home.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'longshore-home-'));
  folder = join(parent, 'data', 'longshore');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const open = (): Home => openHome({ folder, platform: 'linux', randomId });
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the home folder', () => {
  it('is made for its owner alone, with an id that stays', () => {
    const home = open();
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(join(folder, 'home-id'))).toBe(0o600);
    expect(home.homeId).toMatch(/^[0-9a-f]{32}$/);
    expect(open()).toEqual(home);
  });

  it('has another id than every other home', () => {
    expect(openHome({ folder: join(parent, 'other'), platform: 'linux', randomId }).homeId).not.toBe(open().homeId);
  });

  it('is taken back from others where it is ours or empty', () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    open();
    expect(modeOf(folder)).toBe(0o700);
    chmodSync(folder, 0o770);
    open();
    expect(modeOf(folder)).toBe(0o700);
  });

  it("does not change the rights of somebody else's folder, and refuses it where others may write", () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'notes.txt'), '');
    chmodSync(folder, 0o777);
    expect(open).toThrow(expect.objectContaining({ code: 'bad-setting' }) as Error);
    expect(modeOf(folder)).toBe(0o777);
    chmodSync(folder, 0o755);
    open();
    expect(modeOf(folder)).toBe(0o755);
  });

  it('says so where it cannot be made', () => {
    writeFileSync(join(parent, 'data'), 'a file');
    expect(open).toThrow(expect.objectContaining({ code: 'cannot-record' }) as Error);
  });

  it('does not go on with a damaged id, and leaves it as it is', () => {
    open();
    writeFileSync(join(folder, 'home-id'), 'half');
    expect(open).toThrow(expect.objectContaining({ code: 'invalid-identity' }) as Error);
    expect(readFileSync(join(folder, 'home-id'), 'utf8')).toBe('half');
  });
});

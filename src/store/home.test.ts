import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
    home.settle();
    expect(open()).toMatchObject({ folder, homeId: home.homeId, isCopy: false });
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
    expect(open).toThrow(expect.objectContaining({ code: 'bad-setting' }) as Error);
  });

  it('keeps its id when it is moved, and when it is reached by another path', () => {
    const { homeId, settle } = open();
    settle();
    const other = join(parent, 'elsewhere');
    symlinkSync(folder, other);
    expect(openHome({ folder: other, platform: 'linux', randomId })).toMatchObject({ homeId, isCopy: false });
    rmSync(other);
    renameSync(folder, other);
    const moved = openHome({ folder: other, platform: 'linux', randomId });
    expect(moved).toMatchObject({ homeId, isCopy: false });
    moved.settle();
    // Where it was is now a copy of where it is.
    cpSync(other, folder, { recursive: true });
    expect(open().isCopy).toBe(true);
  });

  it('has an id of its own as a copy of a home that is still there, from the moment that it is settled', () => {
    const { homeId, settle } = open();
    settle();
    const place = join(parent, 'copy');
    cpSync(folder, place, { recursive: true });
    const openCopy = (): Home => openHome({ folder: place, platform: 'linux', randomId });
    const copy = openCopy();
    expect(copy.isCopy).toBe(true);
    expect(copy.homeId).not.toBe(homeId);
    expect(openCopy().isCopy).toBe(true);
    copy.settle();
    expect(openCopy()).toMatchObject({ homeId: copy.homeId, isCopy: false });
    expect(open()).toMatchObject({ homeId, isCopy: false });
  });

  it('keeps an id that was written without its folder', () => {
    const { homeId } = open();
    writeFileSync(join(folder, 'home-id'), `${homeId}\n`);
    const home = open();
    expect(home).toMatchObject({ homeId, isCopy: false });
    home.settle();
    expect(readFileSync(join(folder, 'home-id'), 'utf8')).toBe(`${homeId}\n${realpathSync(folder)}\n`);
  });

  it('does not go on with a damaged id, and leaves it as it is', () => {
    open();
    writeFileSync(join(folder, 'home-id'), 'half');
    expect(open).toThrow(expect.objectContaining({ code: 'invalid-identity' }) as Error);
    expect(readFileSync(join(folder, 'home-id'), 'utf8')).toBe('half');
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LongshoreError } from '../core/errors.ts';
import { randomId } from '../core/ids.ts';
import { parseServiceNote } from '../core/service-note.ts';
import { type Home, openHome } from './home.ts';
import { lockHome } from './home-lock.ts';

let parent: string;
let home: Home;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'longshore-lock-'));
  home = openHome({ folder: join(parent, 'home'), platform: 'linux', randomId });
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function refusal(): LongshoreError {
  try {
    lockHome(home, 1).release();
  } catch (error) {
    if (error instanceof LongshoreError) return error;
    throw error;
  }
  throw new Error('the home was free');
}

/** A process of its own that tries for the lock, says `held` or the error's code, and holds it until it ends. */
async function contender(): Promise<{ child: ChildProcess; said: string }> {
  const script = `
    import { lockHome } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'home-lock.ts')).href)};
    let lock;
    try {
      lock = lockHome(${JSON.stringify(home)}, process.pid);
      process.stdout.write('held');
    } catch (error) {
      process.stdout.write(String(error.code));
    }
    process.stdin.once('end', () => process.exit(lock ? 0 : 1)).resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: said.toString() };
}

async function end(child: ChildProcess, signal?: 'SIGKILL'): Promise<void> {
  const exited = once(child, 'exit');
  if (signal) child.kill(signal);
  else child.stdin?.end();
  await exited;
}

describe('the lock of a home', () => {
  it('keeps everybody else out, in this process too, and names who holds it and how to reach it', () => {
    using _ = lockHome(home, 4242);
    const error = refusal();
    expect(error.code).toBe('home-in-use');
    expect(error.message).toContain('process 4242');
    expect(error.message).toContain('longshore/client');
    expect(error.data).toEqual({ home: home.folder, pid: 4242 });
  });

  it('still keeps other processes out after a second attempt in the same process', async () => {
    using _ = lockHome(home, process.pid);
    expect(refusal().code).toBe('home-in-use');
    const { child, said } = await contender();
    await end(child);
    expect(said).toBe('home-in-use');
  });

  it('is free again once released, and leaves no note', () => {
    const lock = lockHome(home, 1);
    lock.release();
    lock.release();
    expect(existsSync(home.lockNote)).toBe(false);
    using _ = lockHome(home, 2);
    expect(refusal().message).toContain('process 2');
  });

  it('says where its holder is reached, whole and for the owner alone, until it is released', () => {
    const lock = lockHome(home, 7);
    expect(parseServiceNote(readFileSync(home.lockNote, 'utf8'))).toEqual({ pid: 7, home: home.folder });
    lock.announce({ url: 'http://127.0.0.1:7411', certificate: 'PEM' });
    const note = { pid: 7, home: home.folder, url: 'http://127.0.0.1:7411', certificate: 'PEM' };
    expect(parseServiceNote(readFileSync(home.lockNote, 'utf8'))).toEqual(note);
    expect(statSync(home.lockNote).mode & 0o777).toBe(0o600);
    expect(refusal().message).toContain('process 7');
    lock.release();
    expect(existsSync(home.lockNote)).toBe(false);
  });

  it('R5: is let go by the operating system when its holder is killed', async () => {
    const { child, said } = await contender();
    expect(said).toBe('held');
    expect(refusal().message).toContain(`process ${child.pid}`);
    await end(child, 'SIGKILL');
    expect(existsSync(home.lockNote)).toBe(true);
    lockHome(home, process.pid).release();
  });

  it('goes to exactly one of several that want it at once', async () => {
    const contenders = await Promise.all([contender(), contender(), contender()]);
    expect(contenders.map(({ said }) => said).sort()).toEqual(['held', 'home-in-use', 'home-in-use']);
    for (const { child } of contenders) await end(child);
  });

  it('says that another process has it where the note is damaged', () => {
    using _ = lockHome(home, 1);
    writeFileSync(home.lockNote, '{');
    expect(refusal().message).toContain('in use by another process');
  });

  it('has files for their owner alone', () => {
    using _ = lockHome(home, 1);
    expect(statSync(home.lock).mode & 0o777).toBe(0o600);
    expect(statSync(home.lockNote).mode & 0o777).toBe(0o600);
  });

  it('says so where the lock file is something else', () => {
    writeFileSync(home.lock, 'x'.repeat(5_000));
    expect(refusal().code).toBe('store-corrupt');
  });
});

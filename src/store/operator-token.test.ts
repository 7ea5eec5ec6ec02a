import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorToken, operatorTokenFile } from './operator-token.ts';

let home: string;
beforeEach(() => void (home = join(mkdtempSync(join(tmpdir(), 'longshore-token-')), 'home')));
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }));

describe('the operator token', () => {
  it('is made at first use in a private file, and is the same from then on', () => {
    const token = operatorToken(home);
    expect(token).toMatch(/^lso_[A-Za-z0-9_-]{43}$/);
    expect(operatorToken(home)).toBe(token);
    expect(statSync(operatorTokenFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(['operator.token']);
  });

  it('is taken back from other users who were allowed to read it', () => {
    operatorToken(home);
    chmodSync(operatorTokenFile(home), 0o644);
    operatorToken(home);
    expect(statSync(operatorTokenFile(home)).mode & 0o777).toBe(0o600);
  });

  it.each(['', '\n', 'admin', 'lso_short'])('is never something weak that stands in its file: %j', content => {
    operatorToken(home);
    writeFileSync(operatorTokenFile(home), content);
    expect(() => operatorToken(home)).toThrow(operatorTokenFile(home));
  });

  it('tells which file cannot be made', () => {
    writeFileSync(home, 'a file, not a folder');
    expect(() => operatorToken(home)).toThrow(operatorTokenFile(home));
  });

  it('is one for all processes that make it at the same moment', async () => {
    const script = `
      import { operatorToken } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'operator-token.ts')).href)};
      process.stdout.write('ready ');
      for await (const _ of process.stdin) break;
      process.stdout.write(operatorToken(process.argv[1]));`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script, home], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const said = children.map(child => text(child.stdout));
    await Promise.all(children.map(child => new Promise(ready => child.stdout.once('data', ready))));
    for (const child of children) child.stdin.end('go');
    expect(new Set(await Promise.all(said))).toEqual(new Set([`ready ${operatorToken(home)}`]));
    expect(readdirSync(home)).toEqual(['operator.token']);
  });
});

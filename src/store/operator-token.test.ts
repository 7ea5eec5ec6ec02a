import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorToken } from './operator-token.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'longshore-token-')), 'home');
  file = join(home, 'operator.token');
});
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }));

describe('the operator token', () => {
  it('is made at first use in a private file, and is the same from then on', () => {
    const token = operatorToken(file);
    expect(token).toMatch(/^lso_[A-Za-z0-9_-]{43}$/);
    expect(operatorToken(file)).toBe(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(['operator.token']);
  });

  it('is taken back from other users who were allowed to read it', () => {
    operatorToken(file);
    chmodSync(file, 0o644);
    operatorToken(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['', '\n', 'admin', 'lso_short'])('is never something weak that stands in its file: %j', content => {
    operatorToken(file);
    writeFileSync(file, content);
    expect(() => operatorToken(file)).toThrow(file);
  });

  it('tells which file cannot be made', () => {
    writeFileSync(home, 'a file, not a folder');
    expect(() => operatorToken(file)).toThrow(file);
  });

  it('is one for all processes that make it at the same moment', { timeout: 60_000 }, async () => {
    const script = `
      import { operatorToken } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'operator-token.ts')).href)};
      process.stdout.write('ready ');
      for await (const _ of process.stdin) break;
      process.stdout.write(operatorToken(process.argv[1]));`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const said = children.map(child => text(child.stdout));
    await Promise.all(children.map(child => new Promise(ready => child.stdout.once('data', ready))));
    for (const child of children) child.stdin.end('go');
    expect(new Set(await Promise.all(said))).toEqual(new Set([`ready ${operatorToken(file)}`]));
    expect(readdirSync(home)).toEqual(['operator.token']);
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedactor } from '../secrets/redact.ts';
import { createLogFile } from './log-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-log-'));
  path = join(folder, 'logs', 'longshore.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const plain = { mostBytes: 1_000, mask: (line: string) => line };

describe('the log file', () => {
  it('is made with its folder at the first line, for its owner alone, and goes on where it ended', () => {
    createLogFile({ path, ...plain }).write('one\n');
    createLogFile({ path, ...plain }).write('two\n');
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700);
  });

  it('never grows beyond its limit: the one before it is kept and nothing older', () => {
    const file = createLogFile({ path, ...plain });
    for (let line = 0; line < 100; line += 1) file.write(`${String(line).padStart(99, ' ')}\n`);
    const [now, before] = [readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')];
    expect(now.length).toBeLessThanOrEqual(1_000);
    expect(before).toHaveLength(1_000);
    expect(`${before}${now}`.trimEnd().split('\n').at(-1)?.trim()).toBe('99');
  });

  it('S15: holds no secret that the redactor knows or sees, and stays JSON', () => {
    const redactor = createRedactor();
    const log = pino({ base: null }, createLogFile({ path, mostBytes: 10_000, mask: redactor.text }));
    redactor.learn([{ name: 'A_KEY', value: 'canary-9f8e7d' }]);
    log.info({ stderr: 'token canary-9f8e7d', password: 'hunter2' }, 'It said "canary-9f8e7d".');
    log.error({ err: new Error('canary-9f8e7d in a message') }, 'failed');
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/canary|hunter2/);
    const [first, second] = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(first.msg).toMatch(/^It said /);
    expect(second.err.message).toContain('in a message');
  });

  it('loses lines and not the service where it cannot be written, and goes on when it can', () => {
    const file = createLogFile({ path, ...plain });
    writeFileSync(join(folder, 'logs'), 'in the way');
    file.write('lost\n');
    rmSync(join(folder, 'logs'));
    mkdirSync(join(folder, 'logs'));
    file.write('kept\n');
    expect(readFileSync(path, 'utf8')).toBe('kept\n');
  });
});

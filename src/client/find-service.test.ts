import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answeringServer, sendJson } from '../../test/fixtures/answering-server.ts';
import { homeFiles } from '../core/service-note.ts';
import { connectService } from './client.ts';
import { findService } from './find-service.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'longshore-find-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const note = (value: object) => {
  writeFileSync(join(home, homeFiles.serviceNote), JSON.stringify({ home: realpathSync(home), ...value }));
};
const token = (text: string) => writeFileSync(join(home, homeFiles.operatorToken), text);

/** The id of a process that was there and is not any more. */
const deadPid = () => spawnSync(process.execPath, ['-e', '0']).pid;

describe('findService', () => {
  it('is not misled by a note that was copied along with another home', () => {
    note({ pid: process.pid, url: 'http://127.0.0.1:1', home: '/home/original' });
    token('lso_x');
    expect(findService(home)).toEqual({ as: 'nobody' });
  });

  it('finds the service that the home tells of, with the token and the one certificate to trust', () => {
    note({ pid: process.pid, url: 'https://[::1]:7411', certificate: 'PEM' });
    token('lso_x\n');
    expect(findService(home)).toEqual({
      as: 'service',
      pid: process.pid,
      target: { url: 'https://[::1]:7411', token: 'lso_x', host: '127.0.0.1', certificate: 'PEM' },
    });
  });

  it('sends nobody the token where the service is dead: another may listen there by now', () => {
    note({ pid: deadPid(), url: 'http://127.0.0.1:1' });
    token('lso_x');
    expect(findService(home)).toEqual({ as: 'nobody' });
  });

  it('tells a program that does not listen from nobody', () => {
    expect(findService(home)).toEqual({ as: 'nobody' });
    expect(findService(join(home, 'not-there'))).toEqual({ as: 'nobody' });
    note({ pid: process.pid });
    expect(findService(home)).toEqual({ as: 'other', pid: process.pid });
  });

  it('says which file is missing where a service has no token', () => {
    note({ pid: process.pid, url: 'http://127.0.0.1:1' });
    expect(() => findService(home)).toThrow(homeFiles.operatorToken);
  });
});

describe('connectService', () => {
  it('starts nothing when it is told not to, and says how to', async () => {
    await expect(connectService({ home, start: false })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('longshore serve'),
    });
    note({ pid: process.pid });
    await expect(connectService({ home, start: false })).rejects.toThrow(`process ${process.pid}`);
  });

  it('waits for a program that has the home to listen, and starts no second one beside it', async () => {
    note({ pid: process.pid });
    token('lso_x');
    await using server = await answeringServer((_, response) => sendJson(response, 200, { ready: true }));
    const connecting = connectService({ home, startBudget: 10_000 });
    setTimeout(() => note({ pid: process.pid, url: server.url }), 100);
    expect((await connecting).url).toBe(server.url);
    note({ pid: process.pid });
    await expect(connectService({ home, startBudget: 100 })).rejects.toMatchObject({
      code: 'home-in-use',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect(existsSync(join(home, 'logs'))).toBe(false);
  });

  it('takes the home from LONGSHORE_HOME, and refuses one that is none', async () => {
    const env = { LONGSHORE_HOME: 'relative' };
    await expect(connectService({ env, start: false })).rejects.toMatchObject({ code: 'bad-setting' });
    note({ pid: process.pid, url: 'http://127.0.0.1:7' });
    token('lso_x');
    const client = await connectService({ env: { LONGSHORE_HOME: home }, start: false });
    expect(client.url).toBe('http://127.0.0.1:7');
  });

  it('loads nothing but Node itself and our own words, and of Node neither fetch nor TLS', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { connectService } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))});
      const client = await connectService({ url: 'http://127.0.0.1:9', token: 'x' });
      await client.ask('GET /api/health').catch(() => undefined);
      const heavy = process.moduleLoadList.filter(name => /undici|_tls_wrap|sqlite/.test(name));
      console.log(JSON.stringify({ loaded, heavy }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const { loaded, heavy } = JSON.parse(stdout || `"${stderr}"`);
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url: string) => url.includes('node_modules'))).toEqual([]);
    expect(heavy).toEqual([]);
  });
});

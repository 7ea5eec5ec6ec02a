import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longshoreHome } from './longshore-home.ts';
import { eventually, fixture, processesWith, runLongshore } from './run-longshore.ts';

const patience = 90_000;

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a home', () => {
  it('that was copied neither steers nor stops the original, nor ends what runs of it', {
    timeout: patience,
  }, async () => {
    const mark = `copy-${process.pid}-${Date.now()}`;
    await using home = longshoreHome();
    await home.run('add', 'one', '--env', `MARK_OF_TEST=${mark}`, '--', process.execPath, fixture('two-tools'));
    expect((await home.run('load', 'one')).code).toBe(0);
    const service = home.servicePid();
    const parent = mkdtempSync(join(tmpdir(), 'longshore-copy-'));
    const copy = { ...home.env, LONGSHORE_HOME: join(parent, 'home') };
    try {
      cpSync(home.folder, copy.LONGSHORE_HOME, { recursive: true });
      const stopped = await runLongshore(['stop'], { env: copy });
      expect(stopped.stderr).toContain('does not run');
      const listed = await runLongshore(['list', '--json'], { env: copy });
      expect(JSON.parse(listed.stdout)).toMatchObject({ servers: [{ name: 'one', state: 'stopped' }] });
      expect(home.servicePid()).toBe(service);
      expect(isRunning(service)).toBe(true);
      expect(await processesWith(mark)).not.toEqual([]);
      expect(await home.json('list')).toMatchObject({ servers: [{ name: 'one', state: 'connected' }] });
    } finally {
      await runLongshore(['stop'], { env: copy });
      rmSync(parent, { recursive: true, force: true });
    }
  });

  it('that was removed ends its service and its servers, and is not made again', { timeout: patience }, async () => {
    const mark = `gone-${process.pid}-${Date.now()}`;
    await using home = longshoreHome();
    await home.run('add', 'one', '--env', `MARK_OF_TEST=${mark}`, '--', process.execPath, fixture('two-tools'));
    expect((await home.run('load', 'one')).code).toBe(0);
    const service = home.servicePid();
    expect(await processesWith(mark)).not.toEqual([]);
    rmSync(home.folder, { recursive: true, force: true });
    expect(await eventually(async () => !isRunning(service), 30_000)).toBe(true);
    expect(await processesWith(mark)).toEqual([]);
    expect(existsSync(home.folder)).toBe(false);
  });

  it.runIf(process.platform === 'linux')(
    'that cannot be made is told at once, in one sentence, by every command and doctor',
    {
      timeout: patience,
    },
    async () => {
      for (const folder of ['/proc/longshore', '/etc/hostname/longshore']) {
        const env = { LONGSHORE_HOME: folder, LONGSHORE_PORT: '0' };
        for (const args of [['list'], ['serve'], ['add', 'x', '--', 'y']]) {
          const { code, stderr } = await runLongshore(args, { env });
          expect([args[0], code, stderr.trim().split('\n').length]).toEqual([args[0], 2, 1]);
          expect(stderr).toContain('could not be made');
        }
        const { code, stdout } = await runLongshore(['doctor'], { env });
        expect(code).toBe(1);
        expect(stdout).toMatch(/^problem\s+home/m);
      }
    },
  );
});

describe('the output of a command', () => {
  it('ends quietly when its reader goes away', { timeout: patience }, async () => {
    await using home = longshoreHome();
    await home.json('list');
    for (let index = 0; index < 3; index++) await home.run('allow', `server${index}.*`, ...home.asOperator);
    for (const args of [['audit', 'export'], ['audit', '--json'], ['rules'], ['list', '--json'], ['--help']]) {
      const { code, stderr } = await home.pipedToNothing(...args);
      expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, '']);
    }
  });
});

describe('an option', () => {
  it('belongs to the command behind which it stands', { timeout: patience }, async () => {
    await using home = longshoreHome();
    for (const name of ['a', 'b', 'c']) await home.run('add', name, '--', 'x');
    expect(await home.json('audit', 'verify')).toMatchObject({ ok: true, rows: 3, problems: [] });
    expect(await home.json('audit', '--limit', '2')).toHaveLength(2);
    const lines = async (...args: readonly string[]) =>
      (await home.run('audit', 'export', ...args)).stdout.split('\n').filter(line => line !== '').length;
    expect(await lines()).toBe(3);
    expect(await lines('--since', '2000-01-01')).toBe(3);
    expect(await lines('--handle', 'none__such')).toBe(0);
    expect((await home.run('audit', 'export', '--limit', '1')).code).toBe(2);
  });

  it('takes headers as curl does, and an error about one never repeats it', { timeout: patience }, async () => {
    await using home = longshoreHome();
    const url = 'http://127.0.0.1:9/mcp';
    expect((await home.run('add', 'a', '--url', url, '--header', 'X-Team: one')).code).toBe(0);
    const [server] = ((await home.json('list')) as { servers: { config: { headers: object } }[] }).servers;
    expect(Object.keys(server?.config.headers ?? {})).toEqual(['X-Team']);
    const { code, stderr } = await home.run('add', 'b', '--url', url, '--header', 'BearerSecretOfThisTest');
    expect(code).toBe(2);
    expect(stderr).not.toContain('SecretOfThisTest');
  });
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../fixtures/self-signed-certificate.ts';
import { longshoreHome } from './longshore-home.ts';
import { eventually, fixture, processesWith, runLongshore } from './run-longshore.ts';

const patience = 120_000;
const everything = ['npx', '-y', '@modelcontextprotocol/server-everything'];

describe('a first session', () => {
  it('adds a server, lists its tools, holds a call until it is approved, records it, removes it, and leaves nothing', {
    timeout: patience,
  }, async () => {
    const mark = `first-${randomBytes(8).toString('hex')}`;
    await using home = longshoreHome();
    const serving = await home.serve();
    expect(serving.signIn).toMatch(new RegExp(`^${serving.url}/#sign-in=lsl_`));

    const added = await home.run('add', 'everything', '--env', `MARK_OF_TEST=${mark}`, '--', ...everything);
    expect(added, added.stderr).toMatchObject({ code: 0, stdout: '' });
    expect(added.stderr).toContain('longshore tools everything');

    const tools = await home.run('tools', 'everything');
    expect(tools.stdout).toMatch(/^everything\.echo +\d+ +Echoes back/m);
    expect(tools.stderr).toMatch(/^\d+ tools take about \d+ tokens of a model's context/m);
    expect((await home.run('tools', 'everything', '--signatures')).stdout).toContain(
      'everything.echo(message: string)',
    );
    expect((await processesWith(mark)).length).toBeGreaterThan(0);

    const held = await home.run('call', 'everything.echo', 'message=hi');
    expect(held).toMatchObject({ code: 7, stdout: '' });
    const id = /longshore approve ([0-9a-f]{32})/.exec(held.stderr)?.[1] ?? '';
    expect(held.stderr).toContain(serving.url);

    const waiting = await home.run('approvals');
    expect(waiting.stdout).toContain('everything.echo  asked by operator');
    expect(waiting.stdout).toContain('{"message":"hi"}');
    expect(waiting.stdout).toContain(id);

    // A program that merely runs commands decides nothing: its token has to be named on purpose.
    expect(await home.run('approve', id)).toMatchObject({ code: 6, stdout: '' });
    expect(await home.run('approve', id.slice(0, 8), ...home.asOperator)).toMatchObject({ code: 0, stdout: '' });
    expect(await home.run('call', 'everything.echo', 'message=hi')).toMatchObject({ code: 0, stdout: 'Echo: hi\n' });
    expect((await home.run('call', 'everything.echo', 'message=hi')).code).toBe(7);

    const record = await home.run('audit');
    expect(record.stdout).toMatch(/operator +everything__echo +user_approved +ok/);
    expect(record.stdout).toContain('server_saved everything');
    expect(await home.run('audit', 'verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('is whole') });
    const exported = (await home.run('audit', 'export')).stdout.trim().split('\n');
    expect(exported.map(line => JSON.parse(line).seq)).toEqual(exported.map((_, index) => index + 1));

    const list = await home.run('list');
    expect(list.stdout).toMatch(/^everything +connected +17 +\d+ +2025-11-25 +process/m);
    expect(await home.run('remove', 'everything')).toMatchObject({ code: 0, stdout: '' });
    expect(await processesWith(mark)).toEqual([]);
    expect(await home.json('list')).toMatchObject({ servers: [] });

    serving.kill('SIGTERM');
    expect(await serving.ended).toMatchObject({ signal: 'SIGTERM' });
    expect(home.servicePid()).toBeUndefined();
    expect(await processesWith(home.folder)).toEqual([]);
  });

  it('lets rules decide, says why, and refuses what is denied with exit code 6', { timeout: patience }, async () => {
    await using home = longshoreHome();
    await home.run('add', 'big', '--', process.execPath, fixture('modern-stdio'));
    const [tool] = (await home.json('tools', 'big')) as { server: string; tool: string }[];
    const name = `${tool?.server}.${tool?.tool}`;
    expect(await home.run('allow', `${tool?.server}.*`)).toMatchObject({ code: 6 });
    expect(await home.run('allow', 'big.*', '--reason', 'mine', ...home.asOperator)).toMatchObject({ code: 0 });
    expect((await home.run('why', name)).stdout).toMatch(/^allow: /);
    expect(await home.run('deny', name, ...home.asOperator)).toMatchObject({ code: 0 });
    expect((await home.run('why', name)).stdout).toMatch(/^deny: .*It beat allow big\.\*/);
    const denied = await home.run('call', name, '--args', '{}', '--json');
    expect(denied).toMatchObject({ code: 6, stdout: '' });
    expect(JSON.parse(denied.stderr).error.code).toBe('denied');
    const rules = (await home.json('rules')) as { id: string; level: string; pattern: string; reason: string }[];
    expect(rules).toMatchObject([
      { level: 'allow', pattern: 'big.*', reason: 'mine' },
      { level: 'deny', pattern: name },
    ]);
    expect(await home.run('rules', 'rm', rules[1]?.id ?? '', ...home.asOperator)).toMatchObject({ code: 0 });
    expect((await home.run('why', name)).stdout).toMatch(/^allow: /);
    expect((await home.run('rules', 'rm', rules[1]?.id ?? '', ...home.asOperator)).code).toBe(2);
  });
});

describe('a command without a running service', () => {
  it('starts it, once for several at the same time, and finds it again', { timeout: patience }, async () => {
    await using home = longshoreHome();
    const ended = await Promise.all([home.run('list'), home.run('rules'), home.run('agent', 'ls')]);
    expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0]);
    const pid = home.servicePid();
    expect((await home.json('status')) as object).toMatchObject({ state: 'ready', pid, leftovers: [] });
    // Nothing of their starts is left, and nobody else may read what it logs.
    const logs = join(home.folder, 'logs');
    expect(statSync(logs).mode & 0o777).toBe(0o700);
    expect(existsSync(join(logs, 'longshore.log'))).toBe(true);
    expect(await home.run('stop')).toMatchObject({ code: 0 });
    expect(home.servicePid()).toBeUndefined();
    expect(await eventually(async () => (await processesWith(home.folder)).length === 0, 5_000)).toBe(true);
    expect(await home.run('stop')).toMatchObject({ code: 0, stderr: 'The service does not run.\n' });
  });

  it('starts nothing when it is told not to, or only looks', { timeout: patience }, async () => {
    await using home = longshoreHome();
    expect(await home.run('list', '--no-start')).toMatchObject({ code: 4, stdout: '' });
    expect((await home.run('status')).code).toBe(4);
    expect(JSON.parse((await home.run('status', '--json')).stdout)).toEqual({ state: 'stopped' });
    const completed = await home.run('__complete', '--', 'remove', '');
    expect(completed).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync(home.folder)).toBe(false);
    const looked = (await home.json('doctor')) as { check: string; state: string; sentence: string }[];
    expect(looked.find(({ check }) => check === 'home')?.sentence).toContain('is not there yet');
    expect(existsSync(home.folder)).toBe(false);
  });

  it('starts it anew after a sudden death, and tells why one does not start', { timeout: patience }, async () => {
    await using home = longshoreHome();
    await home.run('add', 'kept', '--', process.execPath, fixture('modern-stdio'));
    const pid = home.servicePid() ?? 0;
    process.kill(pid, 'SIGKILL');
    expect(await eventually(async () => !existsSync(`/proc/${pid}/exe`), 5_000)).toBe(true);
    const answer = (await home.json('list')) as { servers: { name: string }[] };
    expect(answer.servers.map(({ name }) => name)).toEqual(['kept']);
    expect(home.servicePid()).not.toBe(pid);
    await home.run('stop');
    writeFileSync(join(home.folder, 'identity.json'), '{}');
    const broken = await home.run('list');
    expect(broken).toMatchObject({ code: 4, stdout: '' });
    expect(broken.stderr).toContain('does not hold a DID');
    const found = await home.run('doctor', '--json');
    expect(found.code).toBe(1);
    const identity = JSON.parse(found.stdout).find(({ check }: { check: string }) => check === 'identity');
    expect(identity).toMatchObject({ state: 'problem', action: expect.stringContaining('Restore it') });
  });
});

describe('longshore serve', () => {
  it('says who has the port, and leaves the home free', { timeout: patience }, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await using home = longshoreHome();
    const refused = await home.run('serve', '--port', String(port));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is used by another program`);
    expect(home.servicePid()).toBeUndefined();
    expect((await home.run('serve', '--port', 'x')).stderr).toContain('from 0 to 65535');
    other.close();
  });

  it('takes another port where a command starts it and the usual one is taken', { timeout: patience }, async () => {
    const usual = createServer();
    usual.on('error', () => undefined); // taken already, which is as good
    usual.listen(7411, '127.0.0.1');
    await using home = longshoreHome();
    const { code, stderr } = await runLongshore(['list'], { env: { LONGSHORE_HOME: home.folder } });
    expect(code, stderr).toBe(0);
    const { url } = (await home.json('status')) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(url).not.toContain(':7411');
    usual.close();
  });

  it('refuses a second one on the same home, naming the first', { timeout: patience }, async () => {
    await using home = longshoreHome();
    const first = await home.serve();
    const second = await home.run('serve');
    expect(second).toMatchObject({ code: 9, stdout: '' });
    expect(second.stderr).toContain(`process ${home.servicePid()}`);
    first.kill('SIGINT');
    expect(await first.ended).toMatchObject({ signal: 'SIGINT' });
  });

  it('serves TLS, and its own command line trusts its certificate and no other', { timeout: patience }, async () => {
    await using home = longshoreHome();
    const { cert, key } = selfSignedCertificate();
    const files = [join(home.folder, '..', 'cert.pem'), join(home.folder, '..', 'key.pem')] as const;
    writeFileSync(files[0], cert);
    writeFileSync(files[1], key);
    expect(await home.run('serve', '--tls-cert', files[0])).toMatchObject({ code: 2 });
    const serving = await home.serve('--tls-cert', files[0], '--tls-key', files[1]);
    expect(serving.url).toMatch(/^https:/);
    expect(await home.json('list')).toMatchObject({ servers: [] });
    const note = join(home.folder, 'lock.json');
    const changed = { ...JSON.parse(readFileSync(note, 'utf8')), certificate: selfSignedCertificate().cert };
    writeFileSync(note, JSON.stringify(changed));
    expect((await home.run('list')).code).toBe(4);
    serving.kill('SIGTERM');
    await serving.ended;
  });

  it('is stopped by longshore stop with exit code 0, and stops its servers', { timeout: patience }, async () => {
    const mark = `stop-${randomBytes(8).toString('hex')}`;
    await using home = longshoreHome();
    const serving = await home.serve();
    await home.run('add', 'one', '--env', `MARK_OF_TEST=${mark}`, '--', process.execPath, fixture('modern-stdio'));
    expect((await home.run('load', 'one')).stderr).toMatch(/^one · \d+ tools · MCP 20\d\d-\d\d-\d\d · stdio$/m);
    expect((await processesWith(mark)).length).toBeGreaterThan(0);
    expect(await home.run('stop')).toMatchObject({ code: 0 });
    expect(await serving.ended).toMatchObject({ code: 0 });
    expect(await processesWith(mark)).toEqual([]);
  });
});

describe('the command line', () => {
  it('tells every failure with its exit code, and with --json as one line on stderr', {
    timeout: patience,
  }, async () => {
    await using home = longshoreHome();
    for (const [code, error, ...args] of [
      [2, 'unknown-server', 'remove', 'nothing'],
      [2, 'unknown-server', 'tools', 'nothing'],
      [2, 'unknown-tool', 'call', 'nothing.at-all'],
      [2, 'unknown-approval', 'reject', 'abcdef', ...home.asOperator],
      [4, 'catalog-unreadable', 'gateway', 'start', 'nothing'],
      [2, 'usage', 'import', '--undo'],
      [2, 'usage', 'lst'],
      [2, 'usage', 'list', '--agnt', 'x'],
      [2, 'usage', 'token'],
    ] as const) {
      const ended = await home.run(...args, '--json');
      expect({ args, code: ended.code, out: ended.stdout }).toEqual({ args, code, out: '' });
      expect(JSON.parse(ended.stderr).error.code, args.join(' ')).toBe(error);
    }
  });

  it('suggests what was meant and runs nothing', { timeout: patience }, async () => {
    await using home = longshoreHome();
    for (const [args, meant] of [
      [['aprove', 'x'], 'Did you mean approve?'],
      [['list', '--jsn'], 'Did you mean --json?'],
      [['token', 'revok', 'x'], 'Did you mean revoke?'],
      [['agent'], 'Usage: longshore agent'],
    ] as const) {
      const { code, stdout, stderr } = await home.run(...args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toContain(meant);
    }
    expect(existsSync(home.folder)).toBe(false);
  });

  it('keeps agents, clients and secrets apart and shows no value of any', { timeout: patience }, async () => {
    await using home = longshoreHome();
    const canary = `canary-${randomBytes(8).toString('hex')}`;
    const refused = await home.run('secret', 'set', 'API_KEY');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    await home.run('add', 'mine', '--env', `API_KEY=${canary}`, '--', process.execPath, fixture('tells-environment'));
    const shown = [await home.run('list', '--json'), await home.run('secret', 'ls'), await home.run('explain', 'mine')];
    expect(shown.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(shown.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(canary);
    expect(shown[1]?.stdout).toContain('mine.API_KEY');
    await home.run('agent', 'add', 'bot');
    expect(await home.json('list', '--agent', 'bot')).toMatchObject({ servers: [] });
    expect((await home.run('remove', 'mine', '--agent', 'bot')).code).toBe(2);
    const token = (await home.run('token', 'create', 'cursor', '--agent', 'bot')).stdout.trim();
    expect(token).toMatch(/^lsc_/);
    expect((await home.run('token', 'ls')).stdout).not.toContain(token);
    expect((await home.run('token', 'revoke', 'cursor')).code).toBe(0);
    expect((await home.run('token', 'revoke', 'cursor')).code).toBe(2);
    await home.run('stop');
    for (const file of ['longshore.db', 'logs/longshore.log']) {
      const text = readFileSync(join(home.folder, file), 'latin1');
      for (const secret of [canary, token]) expect(text.includes(secret), file).toBe(false);
    }
  });

  it('S11: imports what is pasted, telling of each entry, and in a dry run does nothing', {
    timeout: patience,
  }, async () => {
    await using home = longshoreHome();
    const file = join(home.folder, '..', 'mcp.json');
    const servers = { good: { command: 'true' }, bad: { args: [] } };
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    const dry = await home.run('import', file, '--dry-run');
    expect(dry.stdout).toMatch(/would be added +good\n +skipped +bad\n/);
    expect(await home.json('list')).toMatchObject({ servers: [] });
    expect((await home.run('import', file)).stdout).toMatch(/ {2}added +good\n +skipped +bad\n/);
    expect((await home.run('import', file)).stdout).toMatch(/ {2}unchanged +good\n +skipped +bad\n/);
    const { servers: saved } = (await home.json('list')) as { servers: { name: string; state: string }[] };
    expect(saved).toMatchObject([{ name: 'good', state: 'stopped' }]);
    expect((await home.run('import', join(home.folder, 'none'))).code).toBe(2);
  });
});

describe('commands that watch or take a conversation', () => {
  it('follow logs and questions as they come, until they are interrupted', { timeout: patience }, async () => {
    await using home = longshoreHome();
    await home.run('add', 'notes', '--', process.execPath, fixture('two-tools'));
    await home.run('allow', 'notes.fail', ...home.asOperator);
    const logs = home.watch('logs', 'notes', '-f');
    const approvals = home.watch('approvals', '--watch', '--json');
    expect((await home.run('call', 'notes.fail')).code).toBe(5);
    expect(await eventually(async () => logs.out().includes('called fail'), 20_000)).toBe(true);
    const held = await home.run('call', 'notes.echo', 'text=hi');
    const id = /longshore approve ([0-9a-f]{32})/.exec(held.stderr)?.[1] ?? 'none';
    expect(await eventually(async () => approvals.out().includes(id), 20_000)).toBe(true);
    await home.run('reject', id, '--reason', 'not today', ...home.asOperator);
    expect(await eventually(async () => approvals.out().includes('"approval.resolved"'), 20_000)).toBe(true);
    const events = approvals
      .out()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ event: 'approval.resolved', approval: { id, state: 'rejected' } });
    expect(await logs.interrupt()).toMatchObject({ signal: 'SIGINT' });
    expect(await approvals.interrupt()).toMatchObject({ signal: 'SIGINT' });
    expect((await home.run('logs', 'notes', '--tail', '1')).stdout).toMatch(/^called .*\n$/);
  });

  it('R28: takes !mcp- lines from a pipe, each answered, and goes on after one that is wrong', {
    timeout: patience,
  }, async () => {
    await using home = longshoreHome();
    await home.run('add', 'notes', '--', process.execPath, fixture('two-tools'));
    const lines = '!MCP-List\n\n!mcp-listx\n!mcp-load\nexit\n!mcp-unload notes\n';
    const { code, stdout } = await home.pipe(lines, 'console', '--json');
    expect(code).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(answers).toMatchObject([
      { status: 'ok', confirmation: expect.stringContaining('notes') },
      { status: 'error', code: 'usage', error: expect.stringContaining('Did you mean !mcp-list?') },
      { status: 'error', code: 'usage', error: expect.stringContaining('Usage: !mcp-load') },
    ]);
    expect(await home.json('list')).toMatchObject({ servers: [{ name: 'notes' }] });
  });

  it('takes a secret from a pipe and completes from what runs', { timeout: patience }, async () => {
    await using home = longshoreHome();
    const stored = await home.pipe('geheim\n', 'secret', 'set', 'KEY');
    expect(stored).toMatchObject({ code: 0, stdout: '' });
    expect(stored.stderr).not.toContain('geheim');
    const environment = ['--env', 'KEY=${secret:KEY}'];
    await home.run('add', 'env', ...environment, '--', process.execPath, fixture('tells-environment'));
    await home.run('tools', 'env');
    const patient = ['__complete', '--within', '20000', '--'];
    expect((await home.run(...patient, 'remove', 'e')).stdout).toBe('env\tconnected\n');
    expect((await home.run(...patient, 'call', 'en')).stdout).toBe('env.\n');
    expect((await home.run(...patient, 'secret', 'rm', '')).stdout).toBe('KEY\n');
    expect((await home.run('secret', 'rm', 'KEY')).code).toBe(0);
    expect((await home.run('secret', 'rm', 'KEY')).code).toBe(2);
  });
});

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, fixture, processesWith, runLongshore, startLongshore } from './run-longshore.ts';

const everything = ['--', 'npx', '-y', '@modelcontextprotocol/server-everything'];
const patience = 60_000;

describe('longshore try', () => {
  it('R45: lists a real server as JSON with its protocol version and every schema, and leaves no process', {
    timeout: patience,
  }, async () => {
    const token = `try-${randomBytes(8).toString('hex')}`;
    const { code, stdout, stderr } = await runLongshore([
      'try',
      '--json',
      '--env',
      `TOKEN_OF_TEST=${token}`,
      ...everything,
    ]);
    expect(code, stderr).toBe(0);
    const printed = JSON.parse(stdout);
    expect(printed.protocol_version).toBe('2025-11-25');
    const echo = printed.tools.find((tool: { name: string }) => tool.name === 'echo');
    expect(echo.inputSchema).toMatchObject({ type: 'object', properties: { message: { type: 'string' } } });
    expect(await processesWith(token)).toEqual([]);
  });

  it('prints tools as signatures with one line of description', { timeout: patience }, async () => {
    const { code, stdout } = await runLongshore(['try', ...everything]);
    expect(code).toBe(0);
    expect(stdout).toContain('echo(message: string)\n    Echoes back the input');
  });

  it('calls a tool with arguments coerced by its schema', { timeout: patience }, async () => {
    const called = await runLongshore(['try', '--call', 'echo', 'message=hi', ...everything]);
    expect(called).toMatchObject({ code: 0, stdout: 'Echo: hi\n' });
  });

  it('ends at once with exit code 4, the exit code of the server and its stderr', { timeout: patience }, async () => {
    const started = Date.now();
    const { code, stderr, stdout } = await runLongshore(['try', '--', 'sh', '-c', 'echo broken >&2; exit 3']);
    expect(code).toBe(4);
    expect(stderr).toContain('exited with code 3');
    expect(stderr).toContain('broken');
    expect(stdout).toBe('');
    // Far below the 15 s in which a silent server is given up.
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('tells a failure with --json as one line on stderr', { timeout: patience }, async () => {
    const { code, stderr } = await runLongshore(['try', '--json', '--', 'no-such-program-at-all']);
    expect(code).toBe(4);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '').error.code).toBe('command-not-found');
  });

  it('gives exit code 2 for wrong usage and suggests the nearest flag and command', { timeout: patience }, async () => {
    const flag = await runLongshore(['try', '--jsn', '--', 'true']);
    expect(flag.code).toBe(2);
    expect(flag.stderr).toContain('Did you mean --json?');
    const command = await runLongshore(['tri', '--', 'true']);
    expect(command.code).toBe(2);
    expect(command.stderr).toContain('Did you mean try?');
    expect((await runLongshore(['try'])).code).toBe(2);
    expect((await runLongshore(['try', '--call', 'nope', '--', process.execPath, fixture('deaf')])).code).toBe(2);
  });

  it('R5: leaves nothing of a deaf server when it is interrupted, and ends by that signal', {
    timeout: patience,
  }, async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const token = `deaf-${randomBytes(8).toString('hex')}`;
      const { child, ended } = startLongshore([
        'try',
        '--env',
        `TOKEN_OF_TEST=${token}`,
        '--',
        process.execPath,
        fixture('never-answers'),
      ]);
      expect(await eventually(async () => (await processesWith(token)).length >= 2, 10_000)).toBe(true);
      child.kill(signal);
      expect(await ended).toMatchObject({ signal });
      expect(await eventually(async () => (await processesWith(token)).length === 0, 5_000)).toBe(true);
    }
  });
});

describe.runIf(existsSync('/proc/self/environ'))('sudden death', () => {
  const rounds = Number(process.env['LONGSHORE_KILL_ROUNDS'] ?? 3);

  for (const name of ['deaf', 'forking', 'own-session']) {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      it(`R5: ${signal} at a random moment leaves no process of a server that is ${name}`, {
        timeout: rounds * 15_000,
      }, async () => {
        for (let round = 0; round < rounds; round += 1) {
          const token = `kill-${randomBytes(8).toString('hex')}`;
          const { child, ended } = startLongshore([
            'try',
            '--env',
            `TOKEN_OF_TEST=${token}`,
            '--env',
            'FIXTURE_HOLDS=1',
            '--',
            process.execPath,
            fixture(name),
          ]);
          // Shown once that a leftover would be seen; other rounds may strike before the server runs.
          const seen = round > 0 || (await eventually(async () => (await processesWith(token)).length >= 2, 10_000));
          expect(seen).toBe(true);
          await new Promise(resolve => setTimeout(resolve, Math.random() * 2_000));
          child.kill(signal);
          await ended;
          expect(await eventually(async () => (await processesWith(token)).length === 0, 5_000), `round ${round}`).toBe(
            true,
          );
        }
      });
    }
  }
});

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { fixtureSpec, openRequest, processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import { fixtureServer } from '../../test/fixtures/wired-server.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { type ProcessSpec, processRunner, processSpec } from './process.ts';
import type { Opened, OpenRequest, Surroundings } from './runner.ts';

const never = new AbortController().signal;

async function connected({ wire, probe }: Opened): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const modern = probe?.era === 'modern';
  // The connection code answers the SDK's own handshake from the probe; here a second one is harmless.
  await client.connect(wire, modern ? { prior: { kind: 'modern', discover: probe.discover as never } } : {});
  return client;
}

async function failure(opening: Promise<Opened>): Promise<LongshoreError> {
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof LongshoreError) return error;
  throw new Error('the start did not fail with an error of ours', { cause: error });
}

/** Opens a fixture, checks that it is seen alive, and gives it to the test; whatever the test does, it is ended after it. */
async function withServer(
  name: string,
  test: (opened: Opened, around: ReturnType<typeof processSurroundings>) => Promise<void>,
  changes: Partial<OpenRequest> = {},
): Promise<void> {
  const around = processSurroundings();
  const opened = await processRunner.open(fixtureSpec(name), openRequest(around, changes));
  try {
    expect((await survivors(around)).length).toBeGreaterThan(0);
    await test(opened, around);
  } finally {
    await opened.closeForcibly(never);
  }
  expect(await survivors(around)).toEqual([]);
}

const environmentOf = async (spec: Partial<ProcessSpec>, around: Surroundings): Promise<Record<string, string>> => {
  const opened = await processRunner.open(fixtureSpec('tells-environment', spec), openRequest(around));
  const client = await connected(opened);
  const { content } = await client.callTool({ name: 'environment' });
  await opened.closeForcibly(never);
  return JSON.parse((content as { text: string }[])[0]?.text ?? '') as Record<string, string>;
};

describe('starting', () => {
  it('negotiates in place and serves calls', async () => {
    await withServer('big-result', async opened => {
      expect(opened.transport).toBe('stdio');
      expect(opened.probe).toMatchObject({ era: 'modern', cacheable: true });
      const client = await connected(opened);
      expect((await client.listTools()).tools).toMatchObject([{ name: 'big' }]);
    });
  });

  it('R62: the ledger knows the process before it is spawned, and forgets it when it is gone', async () => {
    const around = processSurroundings();
    const phases: string[] = [];
    const request = openRequest(around, { onPhase: phase => phases.push(phase) });
    const opened = await processRunner.open(fixtureSpec('big-result'), request);
    expect(around.ledger.history).toEqual(['intent', 'started', 'ready']);
    expect(phases).toEqual(['looking-up', 'starting', 'negotiating']);
    const [row] = await around.ledger.list();
    expect(await survivors(around)).toEqual([Number(row?.engineId)]);
    await opened.closeGracefully(never);
    expect(around.ledger.history).toEqual(['intent', 'started', 'ready', 'closing', 'forgotten']);
  });

  it('R62: starts nothing when the ledger cannot be written', async () => {
    const around = processSurroundings();
    const broken: Surroundings = {
      ...around,
      ledger: { ...around.ledger, record: () => Promise.reject(new LongshoreError('cannot-record', 'disk full')) },
    };
    expect(await failure(processRunner.open(fixtureSpec('deaf'), openRequest(broken)))).toMatchObject({
      code: 'cannot-record',
    });
    expect(await survivors(around)).toEqual([]);
  });

  it('starts a server that exits on the unknown first request once more, as a legacy one', async () => {
    await withServer('exits-on-unknown-first-request', async (opened, around) => {
      expect(opened.probe).toMatchObject({ era: 'legacy', cacheable: true, initialize: { serverInfo: {} } });
      expect(around.ledger.history).toEqual([
        'intent',
        'started',
        'closing',
        'forgotten',
        'intent',
        'started',
        'ready',
      ]);
    });
  });

  it('asks a server that was legacy before with initialize, so that it is started once', async () => {
    const verdict = { era: 'legacy' } as const;
    await withServer(
      'exits-on-unknown-first-request',
      async (opened, around) => {
        expect(opened.probe).toMatchObject({ era: 'legacy' });
        expect(around.ledger.history).toEqual(['intent', 'started', 'ready']);
      },
      { verdict },
    );
  });

  it('docker-problems 27: a flood on stderr does not stop a server', async () => {
    await withServer('stderr-flood', async opened => {
      expect(opened.stderrTail().length).toBeLessThanOrEqual(200);
      expect(opened.stderrTail().at(-1)).toBe('flood is over');
    });
  });

  it('reads a spec', () => {
    const spec = { kind: 'process', command: 'npx', args: ['-y', 'x'], env: { A: 'b' }, cwd: '/' };
    expect(processSpec.parse(spec)).toEqual(spec);
    expect(processSpec.safeParse({ ...spec, command: '' }).success).toBe(false);
  });
});

describe('the environment of a server', () => {
  it('R17: holds the allow-listed part of ours, the configured variables, the marker, and nothing else', async () => {
    const env = { PATH: process.env['PATH'], HOME: '/home/x', OPENAI_API_KEY: 'secret', NODE_OPTIONS: '--no-warnings' };
    const around = processSurroundings({ env });
    const seen = await environmentOf({ env: { GITHUB_TOKEN: 'x', HOME: '/other' } }, around);
    const python = ['PYTHONHASHSEED', 'PYTHONUNBUFFERED', 'PYTHONUTF8'];
    expect(Object.keys(seen).sort()).toEqual(['GITHUB_TOKEN', 'HOME', 'LONGSHORE_MARKER', 'PATH', ...python]);
    expect(seen).toMatchObject({ GITHUB_TOKEN: 'x', HOME: '/other', PATH: env.PATH });
  });

  it('keeps configured secrets out of everything that a server prints', async () => {
    const around = processSurroundings();
    const spec = fixtureSpec('prints-secret', { env: { API_TOKEN: 'tok-12345678' } });
    const opened = await processRunner.open(spec, openRequest(around));
    await connected(opened);
    const told = JSON.stringify([opened.stderrTail(), opened.diagnostics()]);
    await opened.closeForcibly(never);
    expect(told).toContain('[masked]');
    expect(told).not.toContain('tok-12345678');
  });
});

describe('a start that fails', () => {
  const opening = (name: string, around: Surroundings, changes: Partial<OpenRequest> = {}): Promise<LongshoreError> =>
    failure(processRunner.open(fixtureSpec(name), openRequest(around, changes)));

  it('tells at once that a server exited, with its code and its last words', async () => {
    const around = processSurroundings();
    const error = await opening('exit-during-negotiation', around);
    expect(error).toMatchObject({
      code: 'failed-to-start',
      data: { exit: { how: 'exited', code: 3 }, stderr: ['reading configuration', 'Error: API_TOKEN is not set'] },
    });
    expect(error.message).toMatch(/^s exited with code 3 before it answered\..*API_TOKEN is not set$/s);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R49: says after its deadline that the process is up but has not answered, and ends it', async () => {
    const around = processSurroundings();
    const error = await opening('never-answers', around, { deadlines: { ...defaultDeadlines, open: 700 } });
    expect(error.code).toBe('timeout');
    expect(error.message).toMatch(/not answered within 0\.7 s.*stdin may not reach it.*server started$/s);
    expect(await survivors(around)).toEqual([]);
    expect(around.ledger.history.at(-1)).toBe('forgotten');
  });

  it.each(['deaf', 'forking', 'own-session', 'never-answers'])(
    'R50: a cancelled start of %s returns only when all of it is gone',
    async name => {
      for (let round = 0; round < 4; round++) {
        const around = processSurroundings();
        const abort = new AbortController();
        const outcome = processRunner.open(fixtureSpec(name), openRequest(around, { signal: abort.signal })).then(
          // A quick start may be over before it is cancelled; then it is open, and whoever asked for it closes it.
          async opened => {
            await opened.closeForcibly(never);
            return 'closed';
          },
          (reason: unknown) => (reason as LongshoreError).code,
        );
        await pause(round * 15);
        while (name === 'never-answers' && (await survivors(around)).length === 0) await pause(5);
        abort.abort();
        expect(['cancelled', 'closed']).toContain(await outcome);
        expect(await survivors(around)).toEqual([]);
        expect(await around.ledger.list()).toEqual([]);
      }
    },
  );

  it('says which working folder does not exist', async () => {
    const around = processSurroundings();
    const spec = fixtureSpec('deaf', { cwd: '/nowhere/at/all' });
    const error = await failure(processRunner.open(spec, openRequest(around)));
    expect(error).toMatchObject({ code: 'failed-to-start' });
    expect(error.message).toContain('/nowhere/at/all');
  });

  it('explains what the system will not start, and leaves no row', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-'));
    const script = join(folder, 'server');
    await writeFile(script, '#!/nowhere/interpreter\n', { mode: 0o755 });
    const around = processSurroundings();
    const spec = fixtureSpec('deaf', { command: script });
    const error = await failure(processRunner.open(spec, openRequest(around)));
    expect(error).toMatchObject({ code: 'failed-to-start' });
    expect(error.message).toContain('interpreter');
    expect(around.ledger.history).toEqual(['intent', 'forgotten']);
  });
});

describe('the end of a server', () => {
  it('R51: is polite first: a server that ends with its stdin gets no signal', async () => {
    await withServer('own-session', async opened => {
      await opened.closeGracefully(never);
      expect(await opened.exited).toEqual({ how: 'exited', code: 0 });
    });
  });

  it.each(['deaf', 'forking', 'own-session', 'big-result'])(
    'R52: a forced close of %s leaves nothing, every time',
    async name => {
      for (let round = 0; round < 3; round++) {
        await withServer(name, async (opened, around) => {
          await opened.closeForcibly(never);
          expect(await survivors(around)).toEqual([]);
        });
      }
    },
  );

  it('R51: a graceful close goes from stdin to SIGTERM to SIGKILL, and leaves nothing', {
    timeout: 30_000,
  }, async () => {
    const close = (name: string): Promise<void> =>
      withServer(name, async (opened, around) => {
        await opened.closeGracefully(never);
        expect(await survivors(around)).toEqual([]);
        expect(around.ledger.history.at(-1)).toBe('forgotten');
      });
    await Promise.all([close('deaf'), close('forking')]);
  });

  it('R53: a caller that gives up is let go, and the closing goes on; a forced close cuts its graces short', async () => {
    await withServer('deaf', async (opened, around) => {
      const abort = new AbortController();
      const graceful = opened.closeGracefully(abort.signal);
      abort.abort(new Error('enough'));
      await expect(graceful).rejects.toThrow('enough');
      await Promise.all([opened.closeForcibly(never), opened.closeForcibly(never), opened.closeGracefully(never)]);
      expect(await opened.exited).toEqual({ how: 'signalled', signal: 'SIGKILL' });
      expect(around.ledger.history.filter(step => step === 'closing')).toHaveLength(1);
    });
  });

  it('R54: reports what could not be ended, keeps it in the ledger, and ends it on the next try', {
    timeout: 40_000,
  }, async () => {
    const around = processSurroundings();
    const opened = await processRunner.open(fixtureSpec('deaf'), openRequest(around));
    const [pid] = await survivors(around);
    // As if the process belonged to another user.
    const refused = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    try {
      await expect(opened.closeForcibly(never)).rejects.toMatchObject({ code: 'close-failed', data: { pids: [pid] } });
      expect(await around.ledger.list()).toMatchObject([{ state: 'failed', engineId: String(pid) }]);
    } finally {
      refused.mockRestore();
    }
    await opened.closeForcibly(never);
    expect(await survivors(around)).toEqual([]);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R54: tries again too where only the ledger failed', async () => {
    const around = processSurroundings();
    let broken = true;
    const forget = around.ledger.forget.bind(around.ledger);
    const fragile: Surroundings = {
      ...around,
      ledger: { ...around.ledger, forget: id => (broken ? Promise.reject(new Error('disk full')) : forget(id)) },
    };
    const opened = await processRunner.open(fixtureSpec('deaf'), openRequest(fragile));
    await expect(opened.closeForcibly(never)).rejects.toThrow('disk full');
    broken = false;
    await opened.closeForcibly(never);
    expect(await around.ledger.list()).toEqual([]);
  });

  it.each(['forking', 'own-session'])('cleans up after a %s server whose main process is killed', async name => {
    for (let round = 0; round < 2; round++) {
      const around = processSurroundings();
      const opened = await processRunner.open(fixtureSpec(name), openRequest(around));
      const closed = Promise.withResolvers<void>();
      opened.wire.onclose = closed.resolve;
      const [row] = await around.ledger.list();
      process.kill(Number(row?.engineId), 'SIGKILL');
      await closed.promise;
      expect(await opened.exited).toEqual({ how: 'signalled', signal: 'SIGKILL' });
      while ((await around.ledger.list()).length > 0) await pause(10);
      expect(await survivors(around)).toEqual([]);
      await opened.closeGracefully(never);
    }
  });

  it('tells the signal of a server that crashes in a call', async () => {
    await withServer('crash-mid-call', async opened => {
      const client = await connected(opened);
      await expect(client.callTool({ name: 'crash' })).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
      expect(await opened.exited).toEqual({ how: 'signalled', signal: 'SIGABRT' });
      expect(opened.stderrTail()).toEqual(['about to crash']);
      expect(opened.stderrCount()).toBe(1);
    });
  });
});

describe('a command that is on no plain PATH', () => {
  it('users 32: is found where version managers put it, and finds its own neighbours', async () => {
    const homeDir = await mkdtemp(join(tmpdir(), 'longshore-'));
    const around = processSurroundings({ homeDir, env: { PATH: '/nowhere', HOME: homeDir, SHELL: '/bin/false' } });
    const bin = join(homeDir, '.volta', 'bin');
    const { mkdir, symlink } = await import('node:fs/promises');
    await mkdir(bin, { recursive: true });
    await symlink(process.execPath, join(bin, 'node'));
    await writeFile(
      join(bin, 'my-server'),
      `#!/usr/bin/env node\nimport(${JSON.stringify(fixtureServer('deaf'))});\n`,
      {
        mode: 0o755,
      },
    );
    const spec = { kind: 'process', command: 'my-server', args: [], env: {} } as const;
    const opened = await processRunner.open(spec, openRequest(around));
    await opened.closeForcibly(never);
    expect(opened.probe).toMatchObject({ era: 'modern' });
  });
});

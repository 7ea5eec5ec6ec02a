import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { containerGround } from '../../test/fixtures/container-context.ts';
import { type RecordedDocker, type RecordedImage, recordedDocker } from '../../test/fixtures/docker/recorded-docker.ts';
import { openRequest, processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import { type DockerRunSpec, dockerRunRunner } from './docker-run.ts';
import type { Opened, OpenPhase, OpenRequest } from './runner.ts';
import type { Watchdog } from './watchdog/watchdog.ts';
import type { ContainerTask } from './watchdog/watchdog-tasks.ts';

const images: Readonly<Record<string, RecordedImage>> = {
  'stdio:1': { mode: 'stdio' },
  'deaf:1': { mode: 'stdio-deaf' },
  'silent:1': { mode: 'silent' },
  'http:1': { mode: 'http' },
  'quiet:1': { mode: 'http-quiet', exposed: [3000] },
  'labelled:1': {
    mode: 'http-quiet',
    exposed: [3000, 4000],
    labels: { 'dev.longshore.transport': 'streamable-http', 'dev.longshore.port': '3000' },
  },
  'mislabelled:1': {
    mode: 'stdio',
    labels: { 'dev.longshore.transport': 'streamable-http', 'dev.longshore.port': '3000' },
  },
  'noisy:1': { mode: 'http-noisy' },
  'chunked:1': { mode: 'http-chunked' },
  'malicious:1': { mode: 'malicious' },
  'sse:1': { mode: 'sse' },
  'crash:1': { mode: 'crash' },
};

let docker: RecordedDocker;
let temporaryFolder: string;
let opened: Opened[] = [];
let around: ReturnType<typeof processSurroundings>;

async function prepare(registry: Readonly<Record<string, RecordedImage>> = {}): Promise<void> {
  docker = await recordedDocker(images, registry);
  temporaryFolder = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  around = processSurroundings({
    env: { ...docker.env, HOME: '/nowhere', OPENAI_API_KEY: 'canary' },
    containers: { ...containerGround(), temporaryFolder },
  });
}

afterEach(async () => {
  for (const one of opened) await one.closeForcibly(new AbortController().signal).catch(() => undefined);
  opened = [];
  const alive = await survivors(around);
  await docker[Symbol.asyncDispose]();
  const files = await readdir(temporaryFolder);
  await rm(temporaryFolder, { recursive: true });
  if (alive.length > 0) throw new Error(`still alive: ${alive.join(', ')}`);
  if (files.length > 0) throw new Error(`id files left: ${files.join(', ')}`);
});

const spec = (args: readonly string[], more: Partial<DockerRunSpec> = {}): DockerRunSpec => ({
  kind: 'docker-run',
  name: 'github',
  command: 'docker',
  args: ['run', ...args],
  env: {},
  allowUnsafe: false,
  ...more,
});

async function open(what: DockerRunSpec, more: Partial<OpenRequest> = {}): Promise<Opened> {
  const one = await dockerRunRunner.open(what, openRequest(around, more));
  opened.push(one);
  return one;
}

/** Every call but looks, in the order in which they began, in one word each. */
async function story(): Promise<readonly string[]> {
  return (await docker.calls()).flatMap(({ event, argv }) => {
    const name = argv[argv.indexOf('--name') + 1];
    if (event === 'start' && argv[0] === 'run') return [`run ${name}`];
    if (argv[0] === 'rm') return [`${event === 'start' ? 'rm' : 'gone'}`];
    return [];
  });
}

const containerNames = async () => (await docker.started('run')).map(argv => argv[argv.indexOf('--name') + 1]);

async function ask(one: Opened, method: string, params: object): Promise<unknown> {
  const answer = Promise.withResolvers<unknown>();
  one.wire.onmessage = frame => answer.resolve(frame);
  await one.wire.start();
  await one.wire.send({ jsonrpc: '2.0', id: 7, method, params } as never);
  return answer.promise;
}

// Every command of the recording docker is a process of Node: a crowded machine takes its time for them.
describe('docker-run servers', { timeout: 60_000 }, () => {
  it('R6: speak on stdin and stdout where the image does, in one container with -i', async () => {
    await prepare();
    const one = await open(spec(['stdio:1']));
    expect(one.transport).toBe('stdio');
    expect(one.probe).toMatchObject({ era: 'legacy' });
    expect(await docker.started('run')).toHaveLength(1);
    expect(await docker.started('run', '-i', '--init', '--rm')).toHaveLength(1);
    expect(await containerNames()).toEqual([`rax-probe-github-${process.pid}`]);
    expect(await ask(one, 'tools/call', { name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      result: { content: [{ text: 'hi' }] },
    });
  });

  it('R7, R10: are switched to HTTP where the image serves that: the probe is gone before the managed one starts', async () => {
    await prepare();
    await docker.script([{ match: ['rm'], delay: 500 }]);
    const phases: OpenPhase[] = [];
    const one = await open(spec(['http:1']), { onPhase: phase => phases.push(phase) });
    expect(one.transport).toBe('streamable-http');
    const { pid } = process;
    expect(await story()).toEqual([`run rax-probe-github-${pid}`, 'rm', 'gone', `run rax-mcp-github-${pid}`]);
    const [probe = [], managed = []] = await docker.started('run');
    expect(probe).not.toContain('-p');
    expect(managed[managed.indexOf('-p') + 1]).toBe('127.0.0.1::3000');
    expect([...new Set(phases)]).toEqual(['looking-up', 'starting', 'probing', 'switching', 'waiting-ready']);
    expect(await ask(one, 'tools/list', {})).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  it.each([
    ['stdio:1', 'stdio'],
    ['noisy:1', 'streamable-http'],
    ['chunked:1', 'streamable-http'],
  ])('R8: need nothing but their image to differ (%s → %s)', async (image, transport) => {
    await prepare();
    expect((await open(spec([image]))).transport).toBe(transport);
  });

  it('R1, R3, R23: end by one verified `rm -f` of the container, before the transport closes', async () => {
    await prepare();
    const one = await open(spec(['deaf:1']));
    const order: string[] = [];
    one.wire.onclose = () => order.push('closed');
    await docker.script([{ match: ['rm'], delay: 200 }]);
    await Promise.all([
      one.closeGracefully(new AbortController().signal),
      one.closeGracefully(new AbortController().signal),
    ]);
    const removals = (await docker.calls()).filter(({ argv }) => argv[0] === 'rm');
    expect(removals.map(({ event }) => event)).toEqual(['start', 'exit']);
    expect(order).toEqual(['closed']);
    expect((removals[1]?.at ?? 0) - (removals[0]?.at ?? 0)).toBeGreaterThanOrEqual(200);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R3: close the transport of HTTP once the removal has settled', async () => {
    await prepare();
    const one = await open(spec(['http:1']));
    await docker.script([{ match: ['rm'], delay: 200 }]);
    let removedBefore: number | undefined;
    const closed = Promise.withResolvers<void>();
    one.wire.onclose = () => {
      void docker.calls().then(calls => {
        removedBefore = calls.filter(({ event, argv }) => event === 'exit' && argv[0] === 'rm').length;
        closed.resolve();
      });
    };
    await one.closeGracefully(new AbortController().signal);
    await closed.promise;
    expect(removedBefore).toBe(2);
    expect(await docker.containers()).toEqual([]);
  });

  it('R5: are known to the watchdog, by a label that nobody else has, before they exist', async () => {
    await prepare();
    const tasks: (ContainerTask & { readonly runs: number })[] = [];
    let runs: Promise<unknown> = Promise.resolve();
    const watchdog: Watchdog = {
      ...around.watchdog,
      assign(task) {
        runs = docker.started('run').then(started => tasks.push({ ...task, runs: started.length }));
      },
    };
    await open(spec(['stdio:1']), { around: { ...around, watchdog } });
    await runs;
    expect(tasks).toMatchObject([
      { label: `dev.longshore.instance=${around.instance}`, program: docker.program, globals: [], runs: 0 },
    ]);
    const [argv = []] = await docker.started('run');
    expect(argv).toContain(`dev.longshore.instance=${around.instance}`);
  });

  it('R5: are known to the watchdog while their image is still being pulled, by the mark of the pull', async () => {
    await prepare({ 'far:1': { mode: 'stdio' } });
    await docker.script([{ match: ['pull'], hang: true }]);
    const abort = new AbortController();
    const opening = open(spec(['far:1']), { signal: abort.signal });
    await docker.saw('start', 'pull');
    const pulls = (await docker.calls()).filter(({ argv }) => argv[0] === 'pull');
    expect(await survivors(around)).toEqual(pulls.map(({ pid }) => pid));
    abort.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('R1, R54: that cannot be removed stay in the ledger and say why, until another try succeeds', async () => {
    await prepare();
    const one = await open(spec(['deaf:1']));
    await docker.script([
      { match: ['rm'], times: 1, code: 1, stderr: 'Error response from daemon: driver failed to remove' },
    ]);
    await expect(one.closeForcibly(new AbortController().signal)).rejects.toMatchObject({ code: 'close-failed' });
    expect(await around.ledger.list()).toMatchObject([
      { kind: 'container', state: 'failed', lastError: expect.stringContaining('driver failed') },
    ]);
    await one.closeForcibly(new AbortController().signal);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R62: are in the ledger before they exist, with their id as soon as it is known', async () => {
    await prepare();
    await docker.script([{ match: ['run'], createdFor: 400 }]);
    const opening = open(spec(['stdio:1']));
    await docker.saw('created');
    const rows = await around.ledger.list();
    expect(rows.map(({ kind, name, image }) => [kind, name, image])).toContainEqual([
      'container',
      `rax-probe-github-${process.pid}`,
      'stdio:1',
    ]);
    await opening;
    const row = (await around.ledger.list()).find(({ kind }) => kind === 'container');
    expect(row).toMatchObject({
      state: 'ready',
      engineId: expect.stringMatching(/^[0-9a-f]{64}$/),
      engine: { program: 'docker' },
    });
  });

  it('R17: pass values by name only; our own environment stays with us', async () => {
    await prepare();
    const one = await open(spec(['-e', 'GITHUB_TOKEN', 'stdio:1'], { env: { GITHUB_TOKEN: 'sk-123', OTHER: 'x' } }));
    expect(JSON.stringify(await docker.calls())).not.toContain('sk-123');
    expect(await ask(one, 'tools/call', { name: 'env', arguments: { name: 'GITHUB_TOKEN' } })).toMatchObject({
      result: { content: [{ text: 'sk-123' }] },
    });
    expect(one.diagnostics()).toMatchObject([{ code: 'env-not-passed', data: { name: 'OTHER' } }]);
  });

  it('are refused with flags that weaken isolation, unless those are allowed; then they are told ever after', async () => {
    await prepare();
    await expect(open(spec(['--privileged', 'stdio:1']))).rejects.toMatchObject({ code: 'unsafe-refused' });
    expect(await docker.calls()).toEqual([]);
    const one = await open(spec(['--privileged', 'stdio:1'], { allowUnsafe: true }));
    expect(one.diagnostics()).toMatchObject([{ code: 'weak-isolation', data: { flag: '--privileged' } }]);
  });

  it('that exit at once tell their code and their last words, and leave nothing', async () => {
    await prepare();
    await expect(open(spec(['crash:1']))).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringMatching(/exited with code 1.*configuration file is missing/s),
    });
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R46: that serve only the old transport fail, and the failure names /mcp', async () => {
    await prepare();
    const deadlines = { ...defaultDeadlines, containerReady: 700 };
    await expect(open(spec(['sse:1']), { deadlines })).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringContaining('/mcp answered HTTP 404'),
      data: { phase: 'managed' },
    });
    expect(await around.ledger.list()).toEqual([]);
  });

  it('S10: whose log names a stranger are never looked for there', async () => {
    await prepare();
    const abort = new AbortController();
    void docker.saw('started').then(() => setTimeout(() => abort.abort(), 2_500));
    await expect(open(spec(['malicious:1']), { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(await docker.started('run')).toHaveLength(1);
  });

  it('start over HTTP at once where an earlier start found that', async () => {
    await prepare();
    const first = await open(spec(['http:1']));
    await first.closeForcibly(new AbortController().signal);
    expect((await open(spec(['http:1']))).transport).toBe('streamable-http');
    expect(await containerNames()).toEqual(['probe', 'mcp', 'mcp'].map(phase => `rax-${phase}-github-${process.pid}`));
  });

  it('start over HTTP at once where the image says so', async () => {
    await prepare();
    expect((await open(spec(['labelled:1']))).transport).toBe('streamable-http');
    expect(await containerNames()).toEqual([`rax-mcp-github-${process.pid}`]);
  });

  it('are found out about anew where what the image says is wrong', async () => {
    await prepare();
    const deadlines = { ...defaultDeadlines, containerReady: 500 };
    expect((await open(spec(['mislabelled:1']), { deadlines })).transport).toBe('stdio');
    expect(await containerNames()).toEqual(['mcp', 'probe'].map(phase => `rax-${phase}-github-${process.pid}`));
  });

  it('R19: leave a container alone that has their name and is not ours', async () => {
    await prepare();
    const name = `rax-probe-github-${process.pid}`;
    await docker.put(name, {});
    await expect(open(spec(['stdio:1']))).rejects.toMatchObject({ code: 'name-in-use' });
    expect(await docker.containers()).toEqual([name]);
    expect(await docker.started('rm')).toEqual([]);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R49: are pulled first, as a phase of its own; an image that is nowhere starts nothing', async () => {
    await prepare({ 'there:1': { mode: 'stdio' } });
    const phases: string[] = [];
    await open(spec(['there:1']), { onPhase: (phase, detail) => phases.push(`${phase} ${detail}`) });
    expect(phases).toContain('pulling layer: Pull complete');
    await expect(open(spec(['nowhere:1']))).rejects.toMatchObject({ code: 'image-not-found' });
    expect(await docker.started('run')).toHaveLength(1);
  });
});

describe('R50: a start of a docker-run server whose engine does not say what it makes', { timeout: 60_000 }, () => {
  it('removes a container that appears only after the CLI was ended', async () => {
    await prepare();
    await docker.script([{ match: ['run'], appearsAfter: 4_000 }]);
    const abort = new AbortController();
    void docker.saw('start', 'run').then(() => abort.abort());
    await expect(open(spec(['silent:1']), { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' });
    await docker.saw('created');
    expect(await docker.containers()).toEqual([]);
    expect(await around.ledger.list()).toEqual([]);
  });
});

describe('R50: a cancelled start of a docker-run server', { timeout: 60_000 }, () => {
  it.each([
    ['while the engine creates its container', 'stdio:1', 'start'],
    ['while its container is created and not started', 'stdio:1', 'created'],
    ['while it is negotiated with', 'silent:1', 'started'],
  ] as const)('leaves nothing %s', async (_, image, moment) => {
    await prepare();
    if (moment === 'created') await docker.script([{ match: ['run'], createdFor: 60_000 }]);
    if (moment === 'start') await docker.script([{ match: ['run'], delay: 500 }]);
    const abort = new AbortController();
    void docker.saw(moment, 'run').then(() => abort.abort());
    await expect(open(spec([image]), { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(await around.ledger.list()).toEqual([]);
    expect(await docker.containers()).toEqual([]);
  });
});

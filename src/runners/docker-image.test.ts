import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { containerGround } from '../../test/fixtures/container-context.ts';
import { type RecordedDocker, type RecordedImage, recordedDocker } from '../../test/fixtures/docker/recorded-docker.ts';
import { openRequest, processSurroundings, survivors } from '../../test/fixtures/process-surroundings.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { agentId } from '../core/ids.ts';
import { imageServerId } from '../docker/image-reference.ts';
import { type DockerImageSpec, dockerImageRunner } from './docker-image.ts';
import { reclaim } from './index.ts';
import type { Opened, OpenPhase, OpenRequest } from './runner.ts';

const images: Readonly<Record<string, RecordedImage>> = {
  'stdio:latest': { mode: 'stdio' },
  'http:latest': { mode: 'http' },
  'silent:latest': { mode: 'silent' },
  'sse:latest': { mode: 'sse', labels: { 'dev.longshore.transport': 'streamable-http', 'dev.longshore.port': '3000' } },
  'crash:latest': { mode: 'crash' },
};

let docker: RecordedDocker;
let opened: Opened[] = [];
let around: ReturnType<typeof processSurroundings>;

async function prepare(homeFolder?: string): Promise<void> {
  docker = await recordedDocker(images, { 'far:latest': { mode: 'stdio' } });
  around = processSurroundings({ env: { ...docker.env, HOME: '/nowhere' }, containers: containerGround(homeFolder) });
}

afterEach(async () => {
  for (const one of opened) await one.closeForcibly(new AbortController().signal).catch(() => undefined);
  opened = [];
  const alive = await survivors(around);
  await docker[Symbol.asyncDispose]();
  if (alive.length > 0) throw new Error(`still alive: ${alive.join(', ')}`);
});

const spec = (image: string, more: Partial<DockerImageSpec> = {}): DockerImageSpec => ({
  kind: 'docker-image',
  image,
  args: [],
  env: {},
  ...more,
});

async function open(what: DockerImageSpec, more: Partial<OpenRequest> = {}): Promise<Opened> {
  const one = await dockerImageRunner.open(what, openRequest(around, more));
  opened.push(one);
  return one;
}

const idOf = (image: string, agent = 'did:key:zTest') => imageServerId(agentId(agent), image);

// Every command of the recording docker is a process of Node: a crowded machine takes its time for them.
describe('docker-image servers', { timeout: 60_000 }, () => {
  it('R55: are one container, named by agent and image, with its tag explicit', async () => {
    await prepare();
    const one = await open(spec('stdio'));
    expect(one.transport).toBe('stdio');
    expect(await docker.containers()).toEqual([idOf('stdio:latest')]);
    expect(await docker.started('run', 'stdio:latest', '--cap-drop', '--read-only')).toHaveLength(1);
  });

  it('R46: serve HTTP at /mcp on a port that the engine chose, wherever their log points', async () => {
    await prepare();
    const one = await open(spec('http', { env: { MCP_PATH: '/mcp' } }));
    expect(one.transport).toBe('streamable-http');
    expect(await docker.containers()).toEqual([idOf('http:latest')]);
    expect(await docker.started('run', '127.0.0.1::3000')).toHaveLength(1);
  });

  it('serve HTTP at once where a catalog says so, and are found out anew where it is wrong', async () => {
    await prepare();
    const phases: OpenPhase[] = [];
    const one = await open(spec('http', { httpPort: 3000 }), { onPhase: phase => phases.push(phase) });
    expect(one.transport).toBe('streamable-http');
    expect(phases).not.toContain('probing');
    const deadlines = { ...defaultDeadlines, containerReady: 500 };
    expect((await open(spec('stdio', { httpPort: 3000 }), { deadlines })).transport).toBe('stdio');
  });

  it('R58, A16: that fail to start leave their container, stopped, and their row until they are unloaded', async () => {
    await prepare();
    // With a verdict there is one attempt only.
    await expect(open(spec('crash'), { verdict: { era: 'legacy' } })).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringContaining(idOf('crash:latest')),
    });
    expect(await docker.containers()).toEqual([idOf('crash:latest')]);
    const rows = await around.ledger.list();
    expect(rows).toMatchObject([
      { kind: 'container', state: 'failed', name: idOf('crash:latest'), image: 'crash:latest' },
    ]);
    for (const row of rows) await reclaim(row, around);
    expect(await docker.containers()).toEqual([]);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R46, R58: that only serve the old transport fail naming /mcp, and nothing of them runs on', async () => {
    await prepare();
    const deadlines = { ...defaultDeadlines, containerReady: 500 };
    const abort = new AbortController();
    const phases: string[] = [];
    const failing = open(spec('sse'), {
      deadlines,
      signal: abort.signal,
      onPhase(phase) {
        phases.push(phase);
        // The label was wrong, so it is tried on stdio as well, which it does not speak.
        if (phase === 'probing') abort.abort(new LongshoreError('timeout', 'It took too long.'));
      },
    });
    await expect(failing).rejects.toMatchObject({ code: 'timeout' });
    expect(phases).toContain('waiting-ready');
    const [row] = await around.ledger.list();
    expect(row).toMatchObject({ state: 'failed' });
  });

  it('R58: start anew after a failure, whatever that one left', async () => {
    await prepare();
    const { instance, ledger, containers } = around;
    const name = idOf('stdio:latest');
    const { agentId: owner, serverKey } = openRequest(around);
    const row = await ledger.record({
      kind: 'container',
      agentId: owner,
      serverKey,
      instance,
      marker: 'm1',
      name,
      image: 'stdio:latest',
    });
    await ledger.update(row.id, { state: 'failed', lastError: 'It failed.' });
    const left = await docker.put(name, { 'dev.longshore.home': containers.homeId, 'dev.longshore.marker': 'm1' });
    await open(spec('stdio'));
    expect(await docker.started('rm', left)).toHaveLength(1);
    expect(await docker.containers()).toEqual([name]);
    expect((await ledger.list()).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'container ready',
      'process ready',
    ]);
  });

  it('R50: that are cancelled while they start leave nothing', async () => {
    await prepare();
    const abort = new AbortController();
    void docker.saw('started', 'run').then(() => abort.abort());
    await expect(open(spec('silent'), { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(await docker.containers()).toEqual([]);
    expect(await around.ledger.list()).toEqual([]);
  });

  it('R5: are known to the watchdog while they are still being pulled, by the mark of the pull', async () => {
    await prepare();
    await docker.script([{ match: ['pull'], hang: true }]);
    const abort = new AbortController();
    const opening = open(spec('far'), { signal: abort.signal });
    await docker.saw('start', 'pull');
    const pulls = (await docker.calls()).filter(({ argv }) => argv[0] === 'pull');
    expect(await survivors(around)).toEqual(pulls.map(({ pid }) => pid));
    abort.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('R57: leave a container alone that has their name and another owner, home or none', async () => {
    await prepare();
    const name = idOf('stdio:latest');
    const us = {
      'dev.longshore.home': around.containers.homeId,
      'dev.longshore.agent': 'did:key:zTest',
      'dev.longshore.image': 'stdio:latest',
      'dev.longshore.instance': 'dead',
    };
    const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['ownership-mismatch', {}],
      ['ownership-mismatch', { ...us, 'dev.longshore.agent': 'did:key:zOther' }],
      ['ownership-mismatch', { ...us, 'dev.longshore.image': 'other:latest' }],
      ['in-use-by-other-home', { ...us, 'dev.longshore.home': 'other' }],
    ];
    for (const [code, labels] of foreign) {
      const id = await docker.put(name, labels);
      await expect(open(spec('stdio'))).rejects.toMatchObject({ code });
      expect(await docker.containers()).toEqual([name]);
      await docker.drop(id);
    }
    expect(await docker.started('rm')).toEqual([]);
  });

  it('R57: take the place of a container that a dead run of the same home, agent and image left', async () => {
    await prepare();
    await docker.put(idOf('stdio:latest'), {
      'dev.longshore.home': around.containers.homeId,
      'dev.longshore.agent': 'did:key:zTest',
      'dev.longshore.image': 'stdio:latest',
      'dev.longshore.instance': 'dead',
    });
    await open(spec('stdio'));
    expect(await docker.containers()).toEqual([idOf('stdio:latest')]);
  });

  it('R58: of two agents are two containers, and ending one leaves the other', async () => {
    await prepare();
    const a = await open(spec('stdio'));
    await open(spec('stdio'), { agentId: agentId('did:key:zOther') });
    expect(await docker.containers()).toHaveLength(2);
    await a.closeGracefully(new AbortController().signal);
    expect(await docker.containers()).toEqual([idOf('stdio:latest', 'did:key:zOther')]);
  });

  it('can never be given what weakens isolation', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-test-'));
    try {
      await prepare(folder);
      const link = `${folder}-link`;
      await symlink(folder, link);
      for (const mount of [`${folder}:/x:ro`, `${link}/logs:/x`, '/:/host:ro', '/var/run/docker.sock:/s']) {
        await expect(open(spec('stdio', { mounts: [mount] }))).rejects.toMatchObject({ code: 'unsafe-refused' });
      }
      await rm(link);
      expect(await docker.calls()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

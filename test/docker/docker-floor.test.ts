import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { InstanceId } from '../../src/core/ids.ts';
import { createCidFile } from '../../src/docker/cidfile.ts';
import { inspectContainer, listContainers } from '../../src/docker/containers.ts';
import { createDockerCli } from '../../src/docker/docker-cli.ts';
import { dockerFailure } from '../../src/docker/docker-failure.ts';
import { createImageStore, type ImageRequest, inspectImage } from '../../src/docker/images.ts';
import { publishedPort } from '../../src/docker/ports.ts';
import { removeContainer } from '../../src/docker/remove.ts';
import { runFlagTable } from '../../src/docker/run-flags.ts';
import { docker, fixtureImage } from '../fixtures/docker/images.ts';
import { type Registry, startRegistry } from '../fixtures/docker/registry.ts';
import { realEngine } from './docker-test.ts';

const engine = await realEngine();
const cli = createDockerCli({ env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' } });
const looked = { deadline: 20_000 };
const removal = { budget: 20_000, clock: systemClock };

/** Starts an attached container as a runner would; settles once it runs. The CLI's process is ended by the caller. */
async function start(name: string, image: string, ...flags: readonly string[]) {
  const args = [
    'run',
    '--rm',
    '-i',
    '--init',
    '--pull',
    'never',
    '--name',
    name,
    '--label',
    `test=${name}`,
    ...flags,
    image,
  ];
  const child = spawn('docker', args, { stdio: ['pipe', 'ignore', 'ignore'] });
  while (!(await inspectContainer(cli, name, looked))?.running) await after(50);
  return child;
}

describe.runIf(engine.available)('the docker floor on a real engine', { timeout: 120_000 }, () => {
  let deaf: string;

  beforeAll(async () => {
    deaf = await fixtureImage('stdio-deaf');
  }, 120_000);

  it('R1: killing the CLI leaves the container; only the removal ends it, and is seen to', async () => {
    const child = await start('longshore-test-deaf', deaf);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await after(500);
    expect((await inspectContainer(cli, 'longshore-test-deaf', looked))?.running).toBe(true);
    expect(await removeContainer(cli, 'longshore-test-deaf', removal)).toEqual({ alreadyGone: false });
    expect(await docker('ps', '-aq', '--filter', 'label=test=longshore-test-deaf')).toBe('');
    expect(await removeContainer(cli, 'longshore-test-deaf', removal)).toEqual({ alreadyGone: true });
  });

  it('R1: two removals at one time both succeed, whoever wins', async () => {
    for (let round = 0; round < 3; round += 1) {
      const child = await start('longshore-test-twice', deaf);
      const outcomes = await Promise.all([1, 2, 3].map(() => removeContainer(cli, 'longshore-test-twice', removal)));
      expect(outcomes).toHaveLength(3);
      expect(await inspectContainer(cli, 'longshore-test-twice', looked)).toBeUndefined();
      child.kill('SIGKILL');
    }
  });

  it('R62: the id is known from creation on, and a container that was only created is listed and removed', async () => {
    await using cid = await createCidFile(tmpdir(), 'i1' as InstanceId);
    await docker('create', '--name', 'longshore-test-created', '--cidfile', cid.path, '--label', 'test=created', deaf);
    const id = await cid.appears(systemClock, AbortSignal.timeout(5_000));
    expect((await listContainers(cli, ['test=created'], looked)).map(facts => [facts.id, facts.state])).toEqual([
      [id, 'created'],
    ]);
    await removeContainer(cli, id ?? '', removal);
    expect(await listContainers(cli, ['test=created'], looked)).toEqual([]);
  });

  it('R11, R61: a published port is on loopback only, with a number of the engine’s', async () => {
    const child = await start('longshore-test-port', await fixtureImage('http-quiet'), '-p', '127.0.0.1::3000');
    const port = await publishedPort(cli, 'longshore-test-port', 3000, looked);
    const facts = await inspectContainer(cli, 'longshore-test-port', looked);
    expect(facts?.ports).toEqual({ '3000/tcp': [{ hostAddress: '127.0.0.1', hostPort: port }] });
    await expect(publishedPort(cli, 'longshore-test-port', 3001, looked)).rejects.toMatchObject({
      code: 'failed-to-start',
    });
    await removeContainer(cli, 'longshore-test-port', removal);
    child.kill('SIGKILL');
  });

  it('tells a name that is in use, and an image that is not there, from other failures', async () => {
    await docker('create', '--name', 'longshore-test-name', deaf);
    const clash = await cli.run(['create', '--name', 'longshore-test-name', deaf], looked);
    expect(dockerFailure('Creating', clash).code).toBe('name-in-use');
    await removeContainer(cli, 'longshore-test-name', removal);
    const nothing = await cli.run(['create', '--pull', 'never', 'longshore-test/nothing:1'], looked);
    expect(dockerFailure('Creating', nothing).code).toBe('image-not-found');
  });

  it('R67: tells an engine that does not answer', async () => {
    const elsewhere = createDockerCli({ globals: ['--host', 'unix:///nowhere.sock'], env: cli.env });
    const result = await elsewhere.run(['ps'], looked);
    expect(dockerFailure('Listing', result).code).toBe('docker-unavailable');
    await expect(removeContainer(elsewhere, 'x', removal)).rejects.toMatchObject({ code: 'docker-unavailable' });
  });

  it('R12: knows every flag of this docker’s run command, and which of them take a value', async () => {
    const { shapes, aliases } = runFlagTable('docker');
    const help = await docker('run', '--help');
    const rows = [...help.matchAll(/^ {2,6}(?:(-\w), )?(--[\w-]+)(?: ([\w-]+))?(?: {2,}|$)/gm)];
    expect(rows.length).toBeGreaterThan(90);
    for (const [, short, name = '', type] of rows) {
      const known = [name, shapes.get(name), short === undefined ? undefined : aliases.get(short)];
      expect(known).toEqual([name, type === undefined ? 'switch' : 'value', short === undefined ? undefined : name]);
    }
  });
});

describe.runIf(engine.available)('pulling from a registry', { timeout: 120_000 }, () => {
  let registry: Registry;
  const pulled: string[] = [];

  beforeAll(async () => {
    registry = await startRegistry();
  });

  afterAll(async () => {
    if (pulled.length > 0) await docker('rmi', '-f', ...pulled);
    await registry[Symbol.asyncDispose]();
  });

  const wish = (reference: string, more: Partial<ImageRequest> = {}): ImageRequest => ({
    reference,
    policy: 'missing',
    deadline: 60_000,
    signal: new AbortController().signal,
    marker: {},
    ...more,
  });

  it('R49: tells its progress and gives what the image says of itself', async () => {
    const reference = registry.image('normal', 'normal');
    pulled.push(reference);
    const lines: string[] = [];
    const image = await createImageStore().provide(cli, wish(reference, { onProgress: line => lines.push(line) }));
    expect(image).toMatchObject({ exposedPorts: [3000], labels: { manner: 'normal' } });
    expect(lines.length).toBeGreaterThan(0);
  });

  it('waits for a slow registry as long as the phase allows', async () => {
    const reference = registry.image('slow', 'slow');
    pulled.push(reference);
    const store = createImageStore();
    const twice = await Promise.all([store.provide(cli, wish(reference)), store.provide(cli, wish(reference))]);
    expect(twice[0]).toEqual(twice[1]);
  });

  it('ends with a registry that stalls, at its deadline or when cancelled (row 9)', async () => {
    const reference = registry.image('stalled', 'stalled');
    const store = createImageStore();
    await expect(store.provide(cli, wish(reference, { deadline: 3_000 }))).rejects.toMatchObject({ code: 'timeout' });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 1_000);
    await expect(store.provide(cli, wish(reference, { signal: abort.signal }))).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(await inspectImage(cli, reference, looked)).toBeUndefined();
  });

  it('says that an image is not there, and that a registry is not there', async () => {
    const missing = registry.image('missing', 'missing');
    await expect(createImageStore().provide(cli, wish(missing))).rejects.toMatchObject({ code: 'image-not-found' });
    await expect(createImageStore().provide(cli, wish('127.0.0.1:9/x:1'))).rejects.toMatchObject({
      code: 'unreachable',
    });
  });
});

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordedDocker, recordedDocker } from '../../test/fixtures/docker/recorded-docker.ts';
import { systemClock } from '../core/clock.ts';
import type { InstanceId } from '../core/ids.ts';
import { createCidFile } from './cidfile.ts';
import { inspectContainer, listContainers } from './containers.ts';
import { createDockerCli, type DockerCli } from './docker-cli.ts';
import { publishedPort } from './ports.ts';
import { removeContainer } from './remove.ts';

const looked = { deadline: 5_000 };

let docker: RecordedDocker;
let cli: DockerCli;

beforeEach(async () => {
  docker = await recordedDocker({ img: { mode: 'silent' } });
  cli = createDockerCli({ env: docker.env });
});

afterEach(async () => {
  await docker[Symbol.asyncDispose]();
});

const run = (name: string, ...flags: readonly string[]) =>
  cli.run(['run', '--name', name, ...flags, 'img'], { deadline: 60_000 });

describe('containers', () => {
  it('are listed by their labels, those that were only created too', async () => {
    await docker.script([{ match: ['run', 'b'], createdFor: 60_000 }]);
    const runs = [run('a', '--label', 'x=1', '--label', 'y=1'), run('b', '--label', 'x=1'), run('c', '--label', 'x=2')];
    await docker.saw('started', 'a');
    await docker.saw('started', 'c');
    await docker.saw('created', 'b');
    const states = async (...labels: readonly string[]) =>
      (await listContainers(cli, labels, looked)).map(({ name, state }) => `${name} ${state}`).sort();
    expect(await states('x=1')).toEqual(['a running', 'b created']);
    expect(await states('x=1', 'y')).toEqual(['a running']);
    expect(await states('x=3')).toEqual([]);
    for (const name of ['a', 'b', 'c']) await removeContainer(cli, name, { budget: 5_000, clock: systemClock });
    await Promise.allSettled([runs[0], runs[2]]);
  });

  it('that go away between the two looks of a listing are left out', async () => {
    await docker.script([{ match: ['ps'], code: 0, stdout: `${'a'.repeat(64)}\n${'b'.repeat(64)}` }]);
    expect(await listContainers(cli, ['x'], looked)).toEqual([]);
    await docker.script([{ match: ['ps'], code: 1, stderr: 'Is the docker daemon running?' }]);
    await expect(listContainers(cli, ['x'], looked)).rejects.toMatchObject({ code: 'docker-unavailable' });
  });

  it('R11: tell the loopback port that the engine chose, and nothing where there is none', async () => {
    const runs = [run('a', '-p', '127.0.0.1::3000'), run('b')];
    await docker.saw('started', 'a');
    await docker.saw('started', 'b');
    expect(await publishedPort(cli, 'a', 3000, looked)).toBeGreaterThan(1023);
    await expect(publishedPort(cli, 'a', 4000, looked)).rejects.toMatchObject({ code: 'failed-to-start' });
    await expect(publishedPort(cli, 'b', 3000, looked)).rejects.toThrow(/--network host/);
    await expect(publishedPort(cli, 'c', 3000, looked)).rejects.toThrow(/ended before/);
    for (const name of ['a', 'b']) await removeContainer(cli, name, { budget: 5_000, clock: systemClock });
    await Promise.all(runs);
  });

  it('R11: published on another address than loopback are not used', async () => {
    const ports = { '3000/tcp': [{ HostIp: '0.0.0.0', HostPort: '5000' }] };
    const facts = {
      Id: 'a',
      Name: '/a',
      Config: { Image: 'i' },
      State: { Status: 'running', Running: true, ExitCode: 0 },
      NetworkSettings: { Ports: ports },
    };
    await docker.script([{ match: ['inspect'], code: 0, stdout: JSON.stringify(facts) }]);
    await expect(publishedPort(cli, 'a', 3000, looked)).rejects.toMatchObject({ code: 'failed-to-start' });
  });
});

describe('the id file', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('R62: gives a container’s id the moment it is created, and leaves nothing behind', async () => {
    await docker.script([{ match: ['run'], createdFor: 60_000 }]);
    const abort = new AbortController();
    {
      await using cid = await createCidFile(folder, 'i1' as InstanceId);
      expect(await cid.read()).toBeUndefined();
      const started = cli.run(['run', '--name', 'a', '--cidfile', cid.path, 'img'], {
        deadline: 60_000,
        signal: abort.signal,
      });
      const id = await cid.appears(systemClock, abort.signal);
      expect((await inspectContainer(cli, 'a', looked))?.id).toBe(id);
      abort.abort();
      await expect(started).rejects.toMatchObject({ code: 'cancelled' });
      expect(await cid.read()).toBe(id);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not believed before the whole id is in it, and not waited for once the start is over', async () => {
    await using cid = await createCidFile(folder, 'i1' as InstanceId);
    await writeFile(cid.path, 'abc');
    expect(await cid.appears(systemClock, AbortSignal.abort())).toBeUndefined();
    expect(await cid.appears(systemClock, AbortSignal.timeout(50))).toBeUndefined();
    await mkdir(join(folder, 'other'));
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordedDocker, recordedDocker } from '../../test/fixtures/docker/recorded-docker.ts';
import { systemClock } from '../core/clock.ts';
import { inspectContainer } from './containers.ts';
import { createDockerCli, type DockerCli } from './docker-cli.ts';
import { removeContainer } from './remove.ts';

const options = { budget: 5_000, clock: systemClock };
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

describe('removing a container', () => {
  it('R1: is one `rm -f` of its exact name, then a look that it is gone', async () => {
    const running = cli.run(['run', '--rm', '-i', '--name', 'box', 'img'], { deadline: 60_000 });
    await docker.saw('started');
    expect(await removeContainer(cli, 'box', options)).toEqual({ alreadyGone: false });
    expect(await docker.started('rm')).toEqual([['rm', '-f', '-v', 'box']]);
    expect((await docker.calls()).filter(({ event }) => event === 'start').at(-1)?.argv).toContain('inspect');
    expect(await inspectContainer(cli, 'box', looked)).toBeUndefined();
    expect(await running).toMatchObject({ code: 137 });
  });

  it('R2: of one that is gone is a success that says so', async () => {
    expect(await removeContainer(cli, 'box', options)).toEqual({ alreadyGone: true });
    await docker.script([{ match: ['rm'], code: 1, stderr: 'Error: No such container: box' }]);
    expect(await removeContainer(cli, 'box', options)).toEqual({ alreadyGone: true });
  });

  it('R1: that is under way already waits until the container is gone', async () => {
    const busy = 'Error response from daemon: removal of container box is already in progress';
    const facts = {
      Id: 'a',
      Name: '/box',
      Config: { Image: 'img' },
      State: { Status: 'removing', Running: false, ExitCode: 0 },
    };
    await docker.script([
      { match: ['rm'], code: 1, stderr: busy },
      { match: ['inspect'], times: 2, code: 0, stdout: JSON.stringify(facts) },
    ]);
    expect(await removeContainer(cli, 'box', options)).toEqual({ alreadyGone: false });
    expect(await docker.started('inspect')).toHaveLength(3);
    await docker.script([
      { match: ['rm'], code: 1, stderr: busy },
      { match: ['inspect'], code: 0, stdout: JSON.stringify(facts) },
    ]);
    await expect(removeContainer(cli, 'box', { ...options, budget: 700 })).rejects.toMatchObject({ code: 'timeout' });
  });

  it('R1: that the engine refuses, or cannot be asked for, is an error and never a success', async () => {
    await docker.script([
      { match: ['rm'], code: 1, stderr: 'Error response from daemon: driver failed to remove root filesystem' },
    ]);
    await expect(removeContainer(cli, 'box', options)).rejects.toMatchObject({ code: 'docker-failed' });
    await docker.script([
      {
        match: ['rm'],
        code: 1,
        stderr: 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?',
      },
    ]);
    await expect(removeContainer(cli, 'box', options)).rejects.toMatchObject({ code: 'docker-unavailable' });
    await docker.script([{ match: ['rm'], hang: true }]);
    await expect(removeContainer(cli, 'box', { ...options, budget: 500 })).rejects.toMatchObject({ code: 'timeout' });
  });
});

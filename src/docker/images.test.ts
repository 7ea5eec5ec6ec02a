import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordedDocker, recordedDocker } from '../../test/fixtures/docker/recorded-docker.ts';
import { createDockerCli, type DockerCli } from './docker-cli.ts';
import { createImageStore, type ImageFacts, type ImageRequest, type ImageStore, inspectImage } from './images.ts';

let docker: RecordedDocker;
let cli: DockerCli;
let store: ImageStore;

beforeEach(async () => {
  docker = await recordedDocker(
    { 'here:1': { mode: 'stdio', exposed: [8080, 3000], labels: { a: 'b' } } },
    { 'there:1': { mode: 'stdio' }, 'here:1': { mode: 'stdio' } },
  );
  cli = createDockerCli({ env: docker.env });
  store = createImageStore();
});

afterEach(async () => {
  await docker[Symbol.asyncDispose]();
});

const wish = (reference: string, more: Partial<ImageRequest> = {}): ImageRequest => ({
  reference,
  policy: 'missing',
  deadline: 10_000,
  signal: new AbortController().signal,
  marker: {},
  ...more,
});

describe('images', () => {
  it('are told by what the engine has, without pulling', async () => {
    expect(await inspectImage(cli, 'here:1', { deadline: 5_000 })).toMatchObject({
      exposedPorts: [3000, 8080],
      labels: { a: 'b' },
      platform: 'linux/amd64',
    });
    expect(await inspectImage(cli, 'there:1', { deadline: 5_000 })).toBeUndefined();
    expect(await docker.started('pull')).toEqual([]);
  });

  it('R49: are pulled in a phase of their own, only where the policy asks for it', async () => {
    const lines: string[] = [];
    await store.provide(cli, wish('here:1'));
    expect(await docker.started('pull')).toEqual([]);
    await store.provide(cli, wish('there:1', { onProgress: line => lines.push(line) }));
    await store.provide(cli, wish('here:1', { policy: 'always' }));
    expect(await docker.started('pull')).toEqual([
      ['pull', 'there:1'],
      ['pull', 'here:1'],
    ]);
    expect(lines).toContain('layer: Pull complete');
    await expect(store.provide(cli, wish('nowhere:1', { policy: 'never' }))).rejects.toMatchObject({
      code: 'image-not-found',
    });
    await expect(store.provide(cli, wish('nowhere:1'))).rejects.toMatchObject({ code: 'image-not-found' });
  });

  it('are pulled for the platform that was asked for, where the local one is another', async () => {
    await store.provide(cli, wish('here:1', { platform: 'linux/amd64' }));
    expect(await docker.started('pull')).toEqual([]);
    await store.provide(cli, wish('here:1', { platform: 'linux/arm64/v8' }));
    expect(await docker.started('pull')).toEqual([['pull', '--platform', 'linux/arm64/v8', 'here:1']]);
  });

  it('are pulled once for all who want the same one at a time; one who leaves does not end it for the others', async () => {
    await docker.script([{ match: ['pull'], delay: 400 }]);
    const abort = new AbortController();
    const leaver = store.provide(cli, wish('there:1', { signal: abort.signal }));
    const stayers = [store.provide(cli, wish('there:1')), store.provide(cli, wish('there:1'))];
    void docker.saw('start', 'pull').then(() => abort.abort());
    await expect(leaver).rejects.toMatchObject({ code: 'cancelled' });
    expect((await Promise.all(stayers)).map(({ platform }) => platform)).toEqual(['linux/amd64', 'linux/amd64']);
    expect(await docker.started('pull')).toHaveLength(1);
  });

  it('R50: stop being pulled when nobody wants them any more, and can be pulled anew at once', async () => {
    await docker.script([{ match: ['pull'], times: 1, hang: true }]);
    const abort = new AbortController();
    let again: Promise<ImageFacts> | undefined;
    void docker.saw('start', 'pull').then(() => {
      abort.abort();
      again = store.provide(cli, wish('there:1'));
    });
    await expect(store.provide(cli, wish('there:1', { signal: abort.signal }))).rejects.toMatchObject({
      code: 'cancelled',
    });
    const pulls = (await docker.calls()).filter(({ argv }) => argv[0] === 'pull');
    expect(() => process.kill(pulls[0]?.pid ?? 0, 0)).toThrow('ESRCH');
    expect((await again)?.platform).toBe('linux/amd64');
  });

  it('fail by their deadline where the registry never answers (row 9)', async () => {
    await docker.script([{ match: ['pull'], hang: true }]);
    await expect(store.provide(cli, wish('there:1', { deadline: 500 }))).rejects.toMatchObject({ code: 'timeout' });
  });
});

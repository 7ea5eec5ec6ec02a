import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDockerCli } from '../../docker/docker-cli.ts';
import { dockerSource } from './docker.ts';

const shown = JSON.stringify({
  title: 'Test',
  servers: [
    { type: 'image', image: 'a/b', snapshot: { server: { name: 'b', type: 'server', image: 'a/b', remote: {} } } },
  ],
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-docker-mcp-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A docker command with the MCP plugin, which does what a test's lines of shell say for `catalog show`. */
async function pluginThat(name: string, show: string, version = 'echo v0.43.3') {
  const program = join(folder, name);
  const calls = `${program}.calls`;
  await writeFile(
    program,
    `#!/bin/sh\necho "$@" >>${calls}\nif [ "$2" = version ]; then ${version}; exit; fi\n${show}\n`,
  );
  await chmod(program, 0o755);
  return {
    calls: async () => (await readFile(calls, 'utf8')).trim().split('\n'),
    source: (limit = 20_000) =>
      dockerSource({
        reference: 'my/cat:1',
        docker: () => Promise.resolve(createDockerCli({ program, env: { PATH: process.env['PATH'] ?? '' } })),
        dispatcherFor: () => new Agent(),
        limit,
        hide: text => text.replaceAll('hunter2', '[masked]'),
      }),
  };
}

const options = { signal: new AbortController().signal };

describe('Docker’s catalog by its plugin', () => {
  it('R71, R72, R75: is shown with its reference and pulled if it is missing, and no other command is run', async () => {
    const lines: string[] = [];
    const plugin = await pluginThat('good', `echo "Pulling catalog my/cat:1..." >&2; echo '${shown}'`);
    const content = await plugin.source().read({ ...options, onProgress: line => lines.push(line) });
    expect(content.entries.map(({ name }) => name)).toEqual(['b']);
    expect(await plugin.calls()).toEqual(['mcp version', 'mcp catalog show my/cat:1 --format json --pull missing']);
    expect(lines).toEqual(['Pulling catalog my/cat:1...']);
  });

  it.each<[string, string, string]>([
    [
      'an exit code',
      'echo "catalog my/cat:1 not found, token hunter2" >&2; exit 1',
      'ended with 1: catalog my/cat:1 not found, token [masked]',
    ],
    ['a cut answer', "echo '{'", 'printed no JSON'],
    ['another shape', "echo '[]'", 'has not the shape'],
    ['nothing', 'true', 'printed no JSON'],
  ])('R74: %s is an error that names the catalog and says why', async (name, show, why) => {
    const plugin = await pluginThat(name.replaceAll(' ', '-'), show);
    const error: unknown = await plugin
      .source()
      .read(options)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'catalog-unreadable', message: expect.stringContaining('my/cat:1') });
    expect(String(error)).toContain(why);
  });

  it('R73, R74: one that never ends is given up after its time, and its command is gone', async () => {
    const plugin = await pluginThat('stuck', 'sleep 60');
    const error: unknown = await plugin
      .source(700)
      .read(options)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'catalog-unreadable', message: expect.stringContaining('0.7 s') });
  });

  it('without the plugin the registry is read, for `docker mcp --help` would succeed all the same', async () => {
    const plugin = await pluginThat('none', 'exit 1', 'echo "docker: unknown command: docker mcp" >&2; exit 1');
    const source = dockerSource({
      reference: '127.0.0.1:9/no/cat',
      docker: () => Promise.resolve(createDockerCli({ program: join(folder, 'none'), env: {} })),
      dispatcherFor: () => new Agent(),
      limit: 5_000,
      hide: text => text,
    });
    const error: unknown = await source.read(options).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'catalog-unreadable',
      message: expect.stringMatching(/127\.0\.0\.1:9.*ECONNREFUSED/),
    });
    expect(await plugin.calls()).toEqual(['mcp version']);
  });
});

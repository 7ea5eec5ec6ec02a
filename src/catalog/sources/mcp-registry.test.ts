import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../../../test/fixtures/http-server.ts';
import { mcpRegistrySource } from './mcp-registry.ts';

const official = 'io.modelcontextprotocol.registry/official';
const server = (name: string, more: object = {}) => ({
  server: { name, description: `${name}.`, version: '1.0.0', ...more },
});
const stdio = { transport: { type: 'stdio' } };

const pages: Readonly<Record<string, object>> = {
  '': {
    servers: [
      server('io.github.a/npm', {
        packages: [
          {
            registryType: 'npm',
            identifier: '@a/npm',
            version: '2.1.0',
            ...stdio,
            packageArguments: [
              { type: 'positional', value: 'serve' },
              { type: 'named', name: '--root', isRequired: true, description: 'A folder.' },
              { type: 'named', name: '--optional' },
            ],
            environmentVariables: [
              { name: 'API_KEY', isSecret: true, isRequired: true },
              { name: 'REGION', default: 'eu' },
            ],
          },
        ],
      }),
      { ...server('io.github.a/gone'), _meta: { [official]: { status: 'deleted' } } },
      { server: { description: 'without a name' } },
    ],
    metadata: { nextCursor: 'two' },
  },
  two: {
    servers: [
      server('io.github.b/both', {
        packages: [
          { registryType: 'pypi', identifier: 'both', version: '3.0', ...stdio },
          { registryType: 'oci', identifier: 'ghcr.io/b/both', version: '3.0', ...stdio },
        ],
      }),
      server('io.github.b-both', { packages: [{ registryType: 'pypi', identifier: 'b-both', ...stdio }] }),
      server('io.github.c/remote', {
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://c.example/mcp',
            headers: [{ name: 'Authorization', value: 'Bearer {token}', isSecret: true }],
          },
        ],
      }),
      server('io.github.d/nuget', { packages: [{ registryType: 'nuget', identifier: 'D', ...stdio }] }),
    ],
    metadata: {},
  },
};

/** A registry of these pages. */
async function registry(answers: Readonly<Record<string, object>> = pages) {
  return await serveHttp(({ path }, response) => {
    const url = new URL(path, 'http://x');
    const page = answers[url.searchParams.get('cursor') ?? ''];
    if (url.pathname !== '/v0/servers' || page === undefined) return void response.writeHead(500).end('no');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
}

const source = (origin: string, limit = 5_000) =>
  mcpRegistrySource({ url: new URL(origin), dispatcherFor: () => new Agent(), limit });
const options = { signal: new AbortController().signal };

describe('a registry of the v0 API', () => {
  it('R71: is read page by page: what is active and named, each by its package, or else by its address', async () => {
    await using served = await registry();
    const { entries, unnamed } = await source(served.origin).read(options);
    expect(unnamed).toBe(1);
    expect(entries.map(({ name, start }) => [name, start.kind])).toEqual([
      ['io-github-a-npm', 'command'],
      ['io-github-b-both', 'image'],
      [expect.stringMatching(/^io-github-b-both-[0-9a-f]{6}$/), 'command'],
      ['io-github-c-remote', 'remote'],
      ['io-github-d-nuget', 'none'],
    ]);
    expect(entries[0]).toMatchObject({
      title: 'io.github.a/npm',
      start: { command: 'npx', args: ['-y', '@a/npm@2.1.0', 'serve', '--root', '{{io-github-a-npm.root}}'] },
      secrets: [{ name: 'io-github-a-npm.API_KEY', variable: 'API_KEY' }],
      settings: [
        { key: 'io-github-a-npm.REGION', isRequired: false, byDefault: 'eu' },
        { key: 'io-github-a-npm.root', isRequired: true },
      ],
      env: { REGION: '{{io-github-a-npm.REGION}}' },
    });
    expect(entries[1]?.start).toMatchObject({ image: 'ghcr.io/b/both:3.0' });
    expect(entries[3]).toMatchObject({
      start: { url: 'https://c.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
      secrets: [{ name: 'io-github-c-remote.TOKEN', variable: 'TOKEN' }],
    });
    expect(served.arrived.map(({ path }) => path)).toEqual([
      '/v0/servers?version=latest&limit=100',
      '/v0/servers?version=latest&limit=100&cursor=two',
    ]);
  });

  it('tells how far it has got', async () => {
    await using served = await registry();
    const lines: string[] = [];
    await source(served.origin).read({ ...options, onProgress: line => lines.push(line) });
    expect(lines).toEqual([expect.stringMatching(/^1 definitions read from 127\.0\.0\.1/)]);
  });

  it.each<[string, Readonly<Record<string, object>>, string]>([
    ['an error in the midst', { '': pages[''] ?? {} }, 'it answers 500'],
    ['another shape', { '': { servers: 3 } }, 'has not the shape'],
  ])('R74: %s is an error that names it', async (_, answers, why) => {
    await using served = await registry(answers);
    const error: unknown = await source(served.origin)
      .read(options)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'catalog-unreadable', message: expect.stringContaining(served.origin) });
    expect(String(error)).toContain(why);
  });

  it('R74: a page that does not come is given up', async () => {
    await using served = await serveHttp(() => {});
    const error: unknown = await source(served.origin, 300)
      .read(options)
      .catch((reason: unknown) => reason);
    expect(String(error)).toContain('did not come within 0.3 s');
  });
});

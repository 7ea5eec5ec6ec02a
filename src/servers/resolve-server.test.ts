import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogEntry } from '../../test/fixtures/catalogs.ts';
import { alice, savedWorld } from '../../test/fixtures/saved-world.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import { imageServerId } from '../docker/image-reference.ts';
import { findTools } from './find-tools.ts';
import { type RunningNames, resolveServer, type SavedNames } from './resolve-server.ts';

const agentId = alice as AgentId;

function saved(serverId: string, serverKey: string, name: string, image: string | null = null): SavedNames {
  const mode = image === null ? 'config' : 'container';
  return { agentId, serverId, serverKey: serverKey as ServerKey, name, mode, image };
}

function running(serverKey: string, name: string, image?: string): RunningNames {
  return { agentId, serverKey: serverKey as ServerKey, planned: { name, ...(image !== undefined && { image }) } };
}

function keyOf(found: ReturnType<typeof resolveServer>): string | undefined {
  return found.saved?.serverKey ?? found.running?.serverKey;
}

describe('what a ref means', () => {
  const time = saved('id-time', 'mcp-time', imageServerId(agentId, 'mcp/time:latest'), 'mcp/time:latest');
  const rows = [saved('id-1', 'a-b', 'a b'), saved('id-2', 'a-b-7e99', 'a-b'), time];

  it.each([
    ['id-2', 'a-b-7e99'],
    ['a-b', 'a-b'],
    ['a b', 'a-b'],
    ['a-b-7e99', 'a-b-7e99'],
    ['mcp-time', 'mcp-time'],
    ['mcp/time', 'mcp-time'],
    ['mcp/time:latest', 'mcp-time'],
    [imageServerId(agentId, 'mcp/time'), 'mcp-time'],
    ['mcp/time:v2', undefined],
    ['nobody', undefined],
    ['0123456789ab', 'mcp-time'],
    ['0123456789abcdef', 'mcp-time'],
    ['0123456', undefined],
  ])('an id before a key before a name before an image before the id of a container: %s', (ref, key) => {
    const holdings = new Map([['mcp-time' as ServerKey, ['0123456789abcdef']]]);
    expect(keyOf(resolveServer(ref, rows, [], { holdings }))).toBe(key);
  });

  it('what is saved and what runs under the same key are one server', () => {
    const found = resolveServer('mcp/time', rows, [running('mcp-time', 'mcp/time:latest', 'mcp/time:latest')]);
    expect([found.saved, found.running?.serverKey, found.image]).toEqual([time, 'mcp-time', 'mcp/time:latest']);
  });

  it('R70: an empty text and whitespace around it are refused', () => {
    for (const ref of ['', ' a', 'a\u00a0', '\ufeffa']) {
      expect(() => resolveServer(ref, rows, [])).toThrow(expect.objectContaining({ code: 'usage' }));
    }
  });

  it('an image that is also the name of a server is refused, naming both; a name that can be no image is that server', () => {
    const odd = [saved('id-3', 'org-img', 'org/img'), saved('id-4', 'A-b-c', 'A b/c')];
    expect(() => resolveServer('org/img', odd, [])).toThrow(
      'org/img is the name of the server org-img and also an image. Say org-img for the server.',
    );
    expect(keyOf(resolveServer('A b/c', odd, []))).toBe('A-b-c');
  });

  it('R56: a catalog’s name means the server of its image, after every name of what is here', () => {
    const catalog = new Map([
      ['fetch', 'mcp/fetch'],
      ['clock', 'mcp/time'],
      ['a-b', 'mcp/time'],
    ]);
    expect(resolveServer('clock', rows, [], { catalog })).toMatchObject({ saved: time });
    expect(resolveServer('fetch', rows, [], { catalog })).toMatchObject({ saved: undefined, running: undefined });
    expect(keyOf(resolveServer('a-b', rows, [], { catalog }))).toBe(keyOf(resolveServer('a-b', rows, [])));
  });

  it('R59: the image of a legacy entry does not mean that entry', () => {
    const legacy = saved('id-5', 'mcp-old', 'mcp-mcp-old-latest', 'mcp/old:latest');
    expect(keyOf(resolveServer('mcp/old', [legacy], []))).toBeUndefined();
    expect(keyOf(resolveServer('mcp-mcp-old-latest', [legacy], []))).toBe('mcp-old');
  });
});

describe('verbs and what they mean', () => {
  it('R55, R56: a server is loaded and unloaded by any two of its names, and it is the same one', async () => {
    const config = { name: 'My one', command: 'x' };
    const kinds = [
      { server: config, save: true },
      { server: 'org/img:v1', save: true },
      { server: 'img', save: true },
      { server: 'img', save: false },
      { server: config, save: false },
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), fc.nat(), fc.nat(), async ({ server, save }, first, second) => {
        await using world = await savedWorld();
        // A name of a catalog for the same image.
        const image = {
          kind: 'image',
          image: 'org/img:v1',
          command: [],
          volumes: [],
          user: undefined,
          network: true,
          hosts: [],
        } as const;
        world.catalog.set('img', catalogEntry('img', { start: image }));
        // Others whose names are close to it, which must stay as they are.
        const others = [
          await world.saved().add({ name: 'My-one', command: 'y' }),
          await world.saved().add('org/img:v2'),
        ];
        const { server: made } = await world.load(server, { save });
        const [row] = (await world.saved().list()).filter(one => one.server === made.serverKey);
        const [holding] = (await world.ledger.list({ agentId: alice, serverKey: made.serverKey })).map(one => one.id);
        const own =
          typeof server === 'string' ? ['img', image.image, imageServerId(alice, image.image)] : [config.name];
        const names = [made.serverKey, row?.serverId, holding, holding?.slice(0, 12), ...own].filter(
          one => typeof one === 'string',
        );
        const [one = '', other = ''] = [names[first % names.length], names[second % names.length]];
        expect((await world.load(one)).server).toBe(made);
        expect((await world.unload(other)).server).toBe(made.serverKey);
        expect(world.started.map(({ isAlive }) => isAlive)).toEqual([false]);
        const left = (await world.saved().list()).map(({ server: key }) => key);
        expect(left).toEqual(expect.arrayContaining(others.map(({ server: key }) => key)));
      }),
      { numRuns: 60 },
    );
  });

  it('every verb on a saved server takes the same one', async () => {
    await using world = await savedWorld();
    const first = await world.saved().add({ name: 'a b', command: 'x' });
    const second = await world.saved().add({ name: 'a-b', command: 'x' });
    for (const { serverId, name, server } of [first, second]) {
      for (const ref of [serverId, server]) {
        expect(await world.saved().find(ref)).toMatchObject({ serverId, name });
        expect(await world.saved().disable(ref)).toMatchObject({ serverId });
        expect(await world.saved().enable(ref)).toMatchObject({ serverId });
        expect(await world.saved().change(ref, { cwd: '/' })).toMatchObject({ serverId });
        expect((await world.load(ref)).server.serverKey).toBe(server);
        expect(await world.unload(ref)).toMatchObject({ server });
      }
    }
    expect(await world.saved().disable('a-b')).toMatchObject({ serverId: first.serverId });
    expect(await world.saved().remove('a-b')).toMatchObject({ server: first.server });
  });

  it('B21: a tool is found behind the key or the saved name of its server, and the longest one that is there', async () => {
    await using world = await savedWorld();
    const { server: short } = await world.load({ name: 'my', command: 'x' }, { save: true });
    const { server: long } = await world.load({ name: 'my.server', command: 'x' }, { save: true });
    const { server: unsaved } = await world.load({ name: 'ünïcode names', command: 'x' });
    const tools = findTools(alice, { fleet: world.fleet, registry: world.registry, saved: world.book });
    const { signal } = new AbortController();
    for (const [text, server] of [
      ['my.echo', short],
      ['my.server.echo', long],
      [`${long.serverKey}.echo`, long],
      [`${long.serverKey}__echo`, long],
      ['ünïcode names.echo', unsaved],
    ] as const) {
      expect([text, (await tools.named(text, signal)).ownerKey]).toEqual([text, server.serverKey]);
    }
    await expect(tools.named('my.server.nothing', signal)).rejects.toMatchObject({ code: 'unknown-tool' });
  });
});

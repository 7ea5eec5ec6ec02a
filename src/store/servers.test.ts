import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foreignDatabase } from '../../test/fixtures/foreign-database.ts';
import { systemClock } from '../core/clock.ts';
import { type AgentId, type Digest, type ServerKey, sha256 } from '../core/ids.ts';
import type { Definition } from '../core/words.ts';
import type { SavedServer, ServerEntry } from './servers.ts';
import { openStore } from './store.ts';

const alice = 'did:web:alice.example' as AgentId;
const bob = 'did:web:bob.example' as AgentId;

function entry(name: string, change: Partial<ServerEntry> = {}): ServerEntry {
  return {
    agentId: alice,
    name,
    serverKey: name as ServerKey,
    mode: 'config',
    config: { name, command: 'npx', args: ['-y', 'x'], env: { TOKEN: '${secret:TOKEN}' } },
    image: null,
    args: null,
    enabled: true,
    loaded: true,
    actor: 'operator',
    ...change,
  };
}

function definition(name: string) {
  const tool: Definition = { name, inputSchema: { type: 'object' }, x_unknown: { kept: true } };
  return {
    kind: 'tool' as const,
    wireName: name,
    definition: tool,
    definitionDigest: sha256(name) satisfies Digest,
    protocolVersion: '2026-07-28',
  };
}

const open = () => openStore({ path: ':memory:', clock: systemClock });
type OpenStore = Awaited<ReturnType<typeof open>>;

async function saveOne(store: OpenStore, one: ServerEntry): Promise<SavedServer> {
  const [saved] = await store.servers.save([one]);
  if (saved === undefined) throw new Error('nothing was saved');
  return saved.server;
}

describe('saved servers', () => {
  it('come back as they were saved, by name, with a UUID', async () => {
    await using store = await open();
    const container = entry('mcp-time-1', {
      mode: 'container',
      config: null,
      image: 'mcp/time:latest',
      args: ['--utc'],
    });
    await store.servers.save([entry('notes', { enabled: false }), container]);
    const [first, second] = await store.servers.list(alice);
    expect(first).toMatchObject(container);
    expect(second).toMatchObject(entry('notes', { enabled: false }));
    expect(first?.serverId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await store.servers.get(first?.serverId ?? '')).toEqual(first);
    expect(await store.servers.get('nothing')).toBeUndefined();
  });

  it('R22: a name that is there already is updated and keeps its id and its server key', async () => {
    await using store = await open();
    const before = await saveOne(store, entry('notes'));
    const [again] = await store.servers.save([
      entry('notes', { serverKey: 'other' as ServerKey, config: { name: 'notes', command: 'uvx' } }),
    ]);
    expect(again).toMatchObject({
      created: false,
      server: { serverId: before.serverId, serverKey: 'notes', config: { name: 'notes', command: 'uvx' } },
    });
    expect(await store.servers.list()).toHaveLength(1);
  });

  it('R22: are saved all or none', async () => {
    await using store = await open();
    await store.servers.save([entry('notes')]);
    const clash = entry('mail', { serverKey: 'notes' as ServerKey });
    await expect(store.servers.save([entry('files'), clash])).rejects.toMatchObject({ code: 'name-in-use' });
    expect((await store.servers.list()).map(server => server.name)).toEqual(['notes']);
  });

  it('R58: the same name and key belong to each agent on its own', async () => {
    await using store = await open();
    await store.servers.save([entry('notes'), entry('notes', { agentId: bob })]);
    expect(await store.servers.list(alice)).toHaveLength(1);
    expect(await store.servers.list(bob)).toHaveLength(1);
    const [mine] = await store.servers.list(alice);
    expect(await store.servers.remove(mine?.serverId ?? '')).toBe(true);
    expect(await store.servers.list(bob)).toHaveLength(1);
  });

  it("the gateway's entries share one server key, and their names do not collide with the agent's own", async () => {
    await using store = await open();
    const gateway = (name: string) => entry(name, { mode: 'gateway', config: null, serverKey: 'gateway' as ServerKey });
    await store.servers.save([entry('fetch'), gateway('fetch'), gateway('time')]);
    await store.servers.save([gateway('fetch')]);
    expect((await store.servers.list()).map(server => `${server.mode} ${server.name}`)).toEqual([
      'config fetch',
      'gateway fetch',
      'gateway time',
    ]);
  });

  it('change one by one, their name too, and say when the name is taken or the server is not there', async () => {
    await using store = await open();
    const notes = await saveOne(store, entry('notes'));
    await store.servers.save([entry('mail')]);
    const renamed = await store.servers.update(notes.serverId, { name: 'jotter', enabled: false });
    expect(renamed).toMatchObject({ ...entry('jotter', { enabled: false }), config: notes.config, serverKey: 'notes' });
    await expect(store.servers.update(notes.serverId, { name: 'mail' })).rejects.toMatchObject({ code: 'name-in-use' });
    await expect(store.servers.update('nothing', { name: 'x' })).rejects.toMatchObject({ code: 'unknown-server' });
    expect(await store.servers.remove('nothing')).toBe(false);
  });
});

describe('what servers say of themselves', () => {
  const said = { instructions: 'Ask first.', capabilities: { tools: {}, own: { kept: [1, null] } } };

  it('comes back verbatim, is replaced, and goes with its server', async () => {
    await using store = await open();
    const { serverId } = await saveOne(store, entry('notes'));
    expect(await store.descriptions.of(serverId)).toBeUndefined();
    await store.descriptions.put(serverId, said);
    expect(await store.descriptions.of(serverId)).toEqual(said);
    await store.descriptions.put(serverId, { capabilities: {} });
    expect(await store.descriptions.all()).toEqual(new Map([[serverId, { capabilities: {} }]]));
    await store.servers.remove(serverId);
    expect(await store.descriptions.all()).toEqual(new Map());
    await store.descriptions.put(serverId, said);
    expect(await store.descriptions.of(serverId)).toBeUndefined();
  });
});

describe('cached definitions', () => {
  it('come back verbatim and in order, and are replaced as a whole', async () => {
    await using store = await open();
    const { serverId } = await saveOne(store, entry('notes'));
    const prompt = { ...definition('b'), kind: 'prompt' as const };
    await store.cachedDefinitions.replace(serverId, [definition('b'), definition('a'), prompt]);
    const read = await store.cachedDefinitions.of(serverId);
    expect(read).toMatchObject([definition('b'), definition('a'), prompt]);
    expect(Object.keys(read[0]?.definition ?? {})).toEqual(['name', 'inputSchema', 'x_unknown']);
    await store.cachedDefinitions.replace(serverId, [definition('c')]);
    expect(await store.cachedDefinitions.of(serverId)).toMatchObject([definition('c')]);
  });

  it('stay as they were when a replacement fails', async () => {
    await using store = await open();
    const { serverId } = await saveOne(store, entry('notes'));
    await store.cachedDefinitions.replace(serverId, [definition('a')]);
    await expect(store.cachedDefinitions.replace(serverId, [definition('b'), definition('b')])).rejects.toThrow(
      /UNIQUE/,
    );
    expect(await store.cachedDefinitions.of(serverId)).toMatchObject([definition('a')]);
  });

  it('go when their server goes, or when what it would start as changes; not when it is only switched off', async () => {
    await using store = await open();
    const { serverId } = await saveOne(store, entry('notes'));
    await store.cachedDefinitions.replace(serverId, [definition('a')]);
    await store.servers.update(serverId, { enabled: false, name: 'jotter' });
    expect(await store.cachedDefinitions.of(serverId)).toHaveLength(1);
    await store.servers.save([entry('jotter', { config: { name: 'jotter', command: 'uvx' } })]);
    expect(await store.cachedDefinitions.of(serverId)).toHaveLength(0);
    await store.cachedDefinitions.replace(serverId, [definition('a')]);
    await store.servers.remove(serverId);
    expect(await store.cachedDefinitions.of(serverId)).toHaveLength(0);
    await expect(store.cachedDefinitions.replace(serverId, [])).rejects.toMatchObject({ code: 'unknown-server' });
  });

  it('R68: of all servers come at once, and what is damaged of one hides no other, its own row included', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-servers-'));
    try {
      const path = join(folder, 'longshore.db');
      await using store = await openStore({ path, clock: systemClock });
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await saveOne(store, entry(name))).serverId);
      for (const id of ids) await store.cachedDefinitions.replace(id, [definition('y'), definition('x')]);
      const other = foreignDatabase(path);
      other.exec(
        "update cached_definitions set definition = '{' where wire_name = 'x' and server_id = '" + ids[1] + "'",
      );
      other.exec("update servers set config_json = '{' where name = 'b'");
      other.exec("update servers set args_json = '[' where name = 'c'");
      other.close();
      const all = await store.cachedDefinitions.all();
      expect(ids.map(id => all.get(id)?.map(one => one.wireName))).toEqual([['y', 'x'], undefined, ['y', 'x']]);
      const rows = await store.servers.list();
      expect(rows.map(({ name, config, image, args }) => [name, config !== null, image, args])).toEqual([
        ['a', true, null, null],
        ['b', false, null, null],
        ['c', false, null, null],
      ]);
      expect(await store.servers.remove(ids[1] ?? '')).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

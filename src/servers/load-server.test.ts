import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignDatabase } from '../../test/fixtures/foreign-database.ts';
import { alice, bob, savedWorld, tool } from '../../test/fixtures/saved-world.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import type { NewHolding } from '../core/ports/ledger.ts';
import { silentLog } from '../core/ports/log.ts';
import { reloadServer } from './load-server.ts';

const canary = 'sk-canary-7f3a91d2c4b8';
const one = { name: 'one', command: 'server' };

async function refusal(promise: Promise<unknown>): Promise<LongshoreError> {
  return asLongshoreError(
    await promise.then(
      () => new Error('nothing was refused'),
      (error: unknown) => error,
    ),
  );
}

describe('load and unload', () => {
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-load-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('save nothing unless that is asked for', async () => {
    await using world = await savedWorld();
    const { saved, saveError } = await world.load(one);
    expect([saved, saveError]).toEqual([false, undefined]);
    expect(await world.saved().list()).toEqual([]);
    expect(await world.unload('one')).toMatchObject({ process_removed: true, saved_removed: 'not_saved' });
  });

  it('R68, R69: a server is saved once it runs, as it runs, with what it offers, and is there at the next start', async () => {
    {
      await using before = await savedWorld({ folder });
      before.offers.set('one', [tool('read')]);
      const { server: member, saved } = await before.load({ ...one, env: { TOKEN: canary } }, { save: true });
      expect(saved).toBe(true);
      // The live server is known by the plan that is saved: nothing in memory holds the value either.
      expect(JSON.stringify(member.planned)).not.toContain(canary);
      await before.load('org/img:1', { save: true, settings: { args: ['--x'] } });
      expect(
        (await before.saved().list()).map(({ server, mode, state, actor }) => [server, mode, state, actor]),
      ).toEqual([
        ['one', 'config', 'connected', 'operator'],
        ['org-img-1', 'container', 'connected', 'operator'],
      ]);
    }
    await using world = await savedWorld({ folder });
    await world.book.restore();
    expect(world.tools()).toEqual(['org-img-1__echo', 'one__read']);
    const { server: member } = await world.load('org-img-1');
    expect(member.planned).toMatchObject({ kind: 'docker-image', image: 'org/img:1', config: { args: ['--x'] } });
  });

  it('R68: what did not start is not saved', async () => {
    await using world = await savedWorld();
    world.faults.broken.set('one', new LongshoreError('failed-to-start', 'exited with code 1'));
    expect((await refusal(world.load({ ...one, env: { TOKEN: canary } }, { save: true }))).code).toBe(
      'failed-to-start',
    );
    expect([await world.saved().list(), await world.vault.list(), world.recorded]).toEqual([[], [], []]);
  });

  it('R68: a server that runs and cannot be saved is told as both', async () => {
    await using world = await savedWorld({ folder });
    const other = foreignDatabase(join(folder, 'longshore.db'));
    other.exec('begin exclusive');
    const loaded = await world.load({ ...one, env: { TOKEN: canary } }, { save: true }).finally(() => {
      other.exec('rollback');
      other.close();
    });
    expect(loaded).toMatchObject({ saved: false, saveError: { code: 'cannot-record' } });
    expect(loaded.server.state.name).toBe('connected');
    expect(await world.saved().list()).toEqual([]);
    expect(await world.vault.list()).toEqual([]);
  });

  it('is saved although what it offers cannot be kept, and the log says so', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    await using world = await savedWorld({ folder, log });
    const other = foreignDatabase(join(folder, 'longshore.db'));
    other.exec('drop table cached_definitions');
    other.close();
    expect(await world.load(one, { save: true })).toMatchObject({ saved: true, saveError: undefined });
    expect(warnings).toEqual(['What a server offers could not be kept for its next start.']);
    expect(await world.store.servers.list()).toHaveLength(1);
  });

  it('refuses to start what could not be saved for a secret in its command line', async () => {
    await using world = await savedWorld();
    const server = { ...one, args: ['--token', canary] };
    expect((await refusal(world.load(server, { save: true }))).code).toBe('bad-config');
    expect(world.started).toEqual([]);
    await world.load(server, { save: true, settings: { allowSecretArguments: true } });
    expect((await world.store.servers.list())[0]?.config?.['args']).toEqual(['--token', '${secret:one.token}']);
    // What was allowed for it once need not be allowed again.
    expect(await world.load(server, { save: true })).toMatchObject({ saved: true });
    expect(world.started).toHaveLength(1);
  });

  it('mean a saved server by its name, key or id, and an image by its reference', async () => {
    await using world = await savedWorld();
    const { serverId, server } = await world.saved().add({ ...one, name: 'My one' });
    await world.saved().add('mcp/time');
    for (const ref of ['My one', server, serverId]) expect((await world.load(ref)).server.serverKey).toBe('My-one');
    for (const ref of ['mcp/time', 'mcp/time:latest', 'mcp-time']) {
      expect((await world.load(ref)).server.serverKey).toBe('mcp-time');
    }
    expect(world.started).toHaveLength(2);
    const unknown = await refusal(world.load('nobody'));
    expect(unknown.code).toBe('unknown-server');
    expect(unknown.message).toContain('there are');
    expect(unknown.message).toContain('My one');
    expect((await refusal(world.load('My one', { agentId: bob }))).message).toContain('no server is saved');
    await world.saved().add({ ...one, name: 'acme/x' });
    expect((await refusal(world.load('acme/x'))).code).toBe('ambiguous-ref');
  });

  it('R70: refuse a name with whitespace at its ends before anything is looked up', async () => {
    await using world = await savedWorld();
    await world.saved().add(one);
    const options = { signal: new AbortController().signal, onPhase() {} };
    for (const ref of [' one', 'one\u00a0', '\ufeffone', 'mcp/time ']) {
      for (const attempt of [
        world.load(ref),
        world.unload(ref),
        reloadServer(world.book, { agentId: alice, actor: 'library' }, ref, options),
        world.saved().remove(ref),
        world.saved().refreshTools(ref),
      ]) {
        expect((await refusal(attempt)).code).toBe('usage');
      }
    }
  });

  it('take a saved server as it is saved', async () => {
    await using world = await savedWorld();
    await world.saved().add({ ...one, env: { TOKEN: canary } });
    expect((await refusal(world.load('one', { settings: { env: { A: 'b' } } }))).code).toBe('usage');
    // The same config, whichever way its secret is written, is the saved server.
    const same = await world.load({ ...one, env: { TOKEN: canary } });
    expect(same).toMatchObject({ saved: true, server: { serverKey: 'one' } });
    expect((await world.load({ ...one, env: { TOKEN: '${secret:one.TOKEN}' } })).saved).toBe(true);
    const other = await refusal(world.load({ ...one, args: ['--other'] }));
    expect([other.code, other.message]).toEqual(['name-in-use', expect.stringContaining('one is saved')]);
    expect(world.started).toHaveLength(1);
  });

  it('R4, R22: replace what is saved where that is asked for, once the new one runs', async () => {
    await using world = await savedWorld();
    const { serverId } = await world.saved().add({ ...one, env: { TOKEN: canary } });
    await world.load('one');
    world.faults.broken.set('one', new LongshoreError('failed-to-start', 'exited with code 1'));
    const next = { ...one, args: ['--new'], env: { TOKEN: 'another-token' } };
    expect((await refusal(world.load(next, { save: true }))).code).toBe('failed-to-start');
    expect((await world.store.servers.list())[0]?.config?.['args']).toBeUndefined();
    world.faults.broken.clear();
    // The plan that is saved is the one for its next start.
    const { server: member } = await world.load('one');
    expect(member.planned.config.args).toBeUndefined();
    world.offers.set('one', [tool('new')]);
    expect(await world.load(next, { save: true })).toMatchObject({ saved: true });
    const [row] = await world.store.servers.list();
    expect(row).toMatchObject({ serverId, config: { args: ['--new'], env: { TOKEN: '${secret:one.TOKEN-2}' } } });
    expect((await world.vault.list()).map(secret => secret.name)).toEqual(['one.TOKEN-2']);
    expect((await world.store.cachedDefinitions.of(serverId)).map(({ wireName }) => wireName)).toEqual(['new']);
    expect(world.fleet.list(alice)).toHaveLength(1);
  });

  it('R4: a config loaded again in another form replaces what runs of it', async () => {
    await using world = await savedWorld();
    await world.load(one);
    await world.load(one);
    await world.load({ ...one, args: ['--other'] });
    expect(world.started.map(({ asked, closes }) => [asked.planned.config.args, closes])).toEqual([
      [undefined, 1],
      [['--other'], 0],
    ]);
  });

  it('R69: an image named again is what runs of it, and is saved as it runs', async () => {
    await using world = await savedWorld();
    await world.load('mcp/time', { settings: { args: ['--utc'] } });
    await world.load('mcp/time');
    expect(await world.load('mcp/time', { save: true })).toMatchObject({ saved: true });
    expect(world.started).toHaveLength(1);
    expect(await world.store.servers.list()).toMatchObject([{ mode: 'container', args: ['--utc'] }]);
    expect(await world.load('mcp/time', { save: true })).toMatchObject({ saved: true });
    expect((await refusal(world.load('mcp/time', { settings: { args: ['--other'] } }))).code).toBe('name-in-use');
    await world.load('mcp/time', { settings: { args: ['--other'] }, save: true });
    expect(world.started.map(({ closes }) => closes)).toEqual([1, 0]);
    expect(await world.store.servers.list()).toMatchObject([{ args: ['--other'] }]);
  });

  it('R32: unloading an image forgets it, by whatever it was loaded', async () => {
    await using world = await savedWorld();
    for (const ref of ['mcp/time', 'mcp/time:latest', 'mcp-time']) {
      await world.load('mcp/time', { save: true });
      expect(await world.unload(ref)).toMatchObject({ server: 'mcp-time', process_removed: true, saved_removed: true });
      expect(await world.saved().list()).toEqual([]);
    }
    await world.load('mcp/time', { save: true });
    const id = (await world.saved().list())[0]?.resourceId ?? '';
    expect(id).toMatch(/^mcp-mcp-time-latest-[0-9a-f]{16}$/);
    expect(await world.unload(id)).toMatchObject({ saved_removed: true });
    const nothing = await refusal(world.unload('mcp/time'));
    expect([nothing.code, world.reclaimed]).toEqual(['unknown-server', expect.not.arrayContaining(['mcp/time'])]);
  });

  it('R32, R54: an image that cannot be ended stays saved', async () => {
    await using world = await savedWorld();
    await world.load('mcp/time', { save: true });
    world.faults.stuck.add('mcp/time:latest');
    expect((await refusal(world.unload('mcp/time'))).code).toBe('close-failed');
    expect(await world.saved().list()).toMatchObject([{ state: 'close-failed' }]);
  });

  it('C1, R60: a config that is unloaded stays saved, and is not loaded until somebody loads it', async () => {
    await using world = await savedWorld();
    await world.load(one, { save: true });
    expect(await world.unload('one')).toMatchObject({
      process_removed: true,
      handles_withdrawn: 1,
      saved_removed: false,
    });
    expect([world.tools(), (await world.saved().list())[0]?.state]).toEqual([[], 'unloaded']);
    expect((await refusal(world.unload('one'))).message).toContain('nothing to unload');
    expect((await world.load(one)).saved).toBe(true);
    await world.unload('one');
    const options = { signal: new AbortController().signal, onPhase() {} };
    const again = await reloadServer(world.book, { agentId: alice, actor: 'library' }, 'one', options);
    expect(again.state.name).toBe('connected');
    expect(world.recorded.map(({ action }) => action).filter(action => action.endsWith('loaded'))).toEqual([
      'server_unloaded',
      'server_loaded',
      'server_unloaded',
      'server_loaded',
    ]);
  });

  it('C1: what was unloaded is unloaded after a restart too: not listed among the tools, started by no call, until a load or enable', async () => {
    for (const back of ['load', 'enable'] as const) {
      const folder = await mkdtemp(join(tmpdir(), 'longshore-unloaded-'));
      try {
        {
          await using world = await savedWorld({ folder });
          await world.load(one, { save: true });
          await world.unload('one');
        }
        {
          await using world = await savedWorld({ folder });
          await world.book.restore();
          expect([world.tools(), (await world.saved().list())[0]?.state]).toEqual([[], 'unloaded']);
          await expect(world.fleet.wake(alice, 'one' as ServerKey, new AbortController().signal)).rejects.toMatchObject(
            { code: 'unknown-server' },
          );
          await (back === 'load' ? world.load('one') : world.saved().enable('one'));
        }
        await using world = await savedWorld({ folder });
        await world.book.restore();
        expect([world.tools(), (await world.saved().list())[0]?.state]).toEqual([['one__echo'], 'stopped']);
        expect(world.started).toEqual([]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  });

  it('C1, R60: a server whose unload could not be saved is stopped all the same, and that is told', async () => {
    await using world = await savedWorld();
    await world.load(one, { save: true });
    world.faults.record = true;
    expect(await world.unload('one')).toMatchObject({ process_removed: true, error: { code: 'cannot-record' } });
    expect(world.started.map(({ isAlive }) => isAlive)).toEqual([false]);
  });

  it('P12: a server that was unloaded while it started was running, one of which nothing was there yet was not', async () => {
    await using world = await savedWorld();
    for (const there of [true, false]) {
      const start = Promise.withResolvers<void>();
      world.gates.set('one', start.promise);
      const load = refusal(world.load(one));
      await expect.poll(() => world.fleet.list(alice)[0]?.state.name).toBe('starting');
      const holding = { kind: 'process', agentId: alice, serverKey: 'one', instance: 'i', marker: 'm' } as const;
      const row = there
        ? await world.ledger.record({ ...holding, name: null, image: null } as unknown as NewHolding)
        : undefined;
      if (row) await world.ledger.update(row.id, { engineId: '4711' });
      const unload = world.unload('one');
      expect(await unload).toMatchObject({ process_removed: there ? true : 'not_running' });
      expect((await load).code).toBe('cancelled');
      if (row) await world.ledger.forget(row.id);
    }
  });

  it('a server that was unloaded before it could be saved is not saved', async () => {
    await using world = await savedWorld();
    const start = Promise.withResolvers<void>();
    world.gates.set('one', start.promise);
    const load = world.load(one, { save: true });
    await expect.poll(() => world.fleet.list(alice)[0]?.state.name).toBe('starting');
    // Something else of it is under way when it has started, so that saving waits for its turn.
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = world.book.inOrder(
      alice,
      () => Promise.resolve({ meant: undefined, names: ['one'] }),
      () => promise,
    );
    start.resolve();
    await expect.poll(() => world.fleet.list(alice)[0]?.state.name).toBe('connected');
    await world.fleet.unload(alice, 'one' as ServerKey);
    resolve();
    await busy;
    expect(await load).toMatchObject({ saved: false, saveError: { code: 'cancelled' } });
    expect(await world.saved().list()).toEqual([]);
  });
});

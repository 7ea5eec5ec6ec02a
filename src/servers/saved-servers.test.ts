import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignDatabase } from '../../test/fixtures/foreign-database.ts';
import { alice, bob, savedWorld, tool } from '../../test/fixtures/saved-world.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import type { SavedServer } from '../store/servers.ts';

const canary = 'sk-canary-7f3a91d2c4b8';

function config(name: string, env: Record<string, string> = {}) {
  return { name, command: 'server', args: ['--stdio'], env };
}

async function refusal(promise: Promise<unknown>): Promise<LongshoreError> {
  return asLongshoreError(
    await promise.then(
      () => new Error('nothing was refused'),
      (error: unknown) => error,
    ),
  );
}

describe('saved servers', () => {
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-saved-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** The file as a thief would read it, its log of late writes too. */
  async function database(): Promise<string> {
    const files = ['longshore.db', 'longshore.db-wal'].map(name =>
      readFile(join(folder, name), 'latin1').catch(() => ''),
    );
    return (await Promise.all(files)).join('');
  }

  describe('add', () => {
    it('saves without starting, under an id and a key, and records who did it', async () => {
      await using world = await savedWorld();
      const added = await world.saved().add(config('My server'));
      expect(added).toEqual({
        serverId: expect.any(String),
        name: 'My server',
        server: 'My-server',
        mode: 'config',
        notes: [],
      });
      expect(world.started).toEqual([]);
      expect(world.recorded).toMatchObject([
        { action: 'server_saved', subject: 'My server', agentId: alice, caller: 'operator' },
      ]);
      expect(await world.saved().list()).toMatchObject([
        {
          serverId: added.serverId,
          name: 'My server',
          server: 'My-server',
          mode: 'config',
          kind: 'process',
          enabled: true,
          state: 'stopped',
          error: undefined,
          tools: [],
          actor: 'operator',
        },
      ]);
      expect(await world.saved(bob).list()).toEqual([]);
    });

    it('R16: needs no transport, and keeps deadlines, limits and permissions for every later start', async () => {
      await using world = await savedWorld();
      const deadlines = { open: 5_000 };
      await world.saved().add({ ...config('one'), deadlines }, { allowUnsafe: true });
      await world.saved().add('acme/two:v3', { args: ['--x'], container: { network: 'none' }, deadlines });
      const { server: one } = await world.load('one');
      expect(one.planned).toMatchObject({ name: 'one', kind: 'process', allowUnsafe: true, deadlines });
      const { server: two } = await world.load('acme/two:v3');
      expect(two.planned).toMatchObject({
        identity: 'image:acme/two:v3',
        kind: 'docker-image',
        config: { args: ['--x'] },
        container: { network: 'none' },
        deadlines,
      });
      expect(
        (await world.saved().list()).map(({ resourceId, image, config: shown }) => [resourceId, image, shown]),
      ).toEqual([
        [expect.stringMatching(/^mcp-acme-two-v3-[0-9a-f]{16}$/), 'acme/two:v3', { deadlines, args: ['--x'] }],
        ['one', null, { name: 'one', command: 'server', args: ['--stdio'], env: {}, deadlines }],
      ]);
    });

    it('refuses a name that is saved already, also when both come at once', async () => {
      await using world = await savedWorld();
      const both = await Promise.allSettled([world.saved().add(config('one')), world.saved().add(config('one'))]);
      expect(both.map(result => result.status)).toEqual(['fulfilled', 'rejected']);
      expect((await refusal(world.saved().add(config('one')))).code).toBe('name-in-use');
      await world.saved().add('mcp/time');
      expect((await refusal(world.saved().add('mcp/time:latest'))).message).toContain('mcp-time');
      await world.saved(bob).add(config('one'));
    });

    it('gives every server a key of its own, loaded or saved, running or not', async () => {
      await using world = await savedWorld();
      const first = await world.saved().add(config('a b'));
      await world.saved().disable('a b');
      const { server: member } = await world.load(config('a.b'));
      const third = await world.saved().add(config('a-b'));
      const keys = [first.server, member.serverKey, third.server];
      expect(new Set(keys).size).toBe(3);
      expect(keys[0]).toBe('a-b');
    });

    it('S15: moves secrets out, so that nothing saved or shown holds one in clear, and teaches the mask', async () => {
      await using world = await savedWorld({ folder });
      const { notes } = await world.saved().add({
        ...config('git hub', { GITHUB_TOKEN: canary, LEVEL: 'debug', SAME: canary }),
        headers: { Authorization: `Bearer ${canary}` },
      });
      expect(world.secrets).toContain(canary);
      expect(await world.vault.get('git-hub.GITHUB_TOKEN')).toBe(canary);
      expect(await world.vault.get('git-hub.Authorization')).toBe(`Bearer ${canary}`);
      expect((await world.vault.list()).map(secret => secret.name)).toHaveLength(2);
      expect(notes[0]).toMatchObject({
        code: 'secrets-stored',
        message: expect.stringContaining('git-hub.GITHUB_TOKEN'),
      });
      const [listed] = await world.saved().list();
      expect(listed?.config).toMatchObject({
        env: { GITHUB_TOKEN: { set: true }, LEVEL: { set: true }, SAME: { set: true } },
        headers: { Authorization: { set: true } },
      });
      const { server: member } = await world.load('git hub');
      expect(member.planned.config).toMatchObject({
        env: { GITHUB_TOKEN: '${secret:git-hub.GITHUB_TOKEN}', LEVEL: 'debug' },
      });
      expect(JSON.stringify([listed, world.recorded, notes, member.planned])).not.toContain(canary);
      expect(await database()).not.toContain(canary);
    });

    it('never takes the name of a secret that is not its own', async () => {
      await using world = await savedWorld();
      await world.vault.set('one.TOKEN', 'mine');
      await world.saved().add(config('one', { TOKEN: 'its own' }));
      await world.saved(bob).add(config('one', { TOKEN: 'of bob' }));
      expect(await world.vault.get('one.TOKEN')).toBe('mine');
      expect(await world.vault.get('one.TOKEN-2')).toBe('its own');
      expect(await world.vault.get('one.TOKEN-3')).toBe('of bob');
      await world.saved().remove('one');
      expect((await world.vault.list()).map(secret => secret.name)).toEqual(['one.TOKEN', 'one.TOKEN-3']);
    });

    it('refuses secrets in the command line before anything is stored, unless they are allowed on purpose', async () => {
      await using world = await savedWorld();
      const server = { name: 'one', command: 'server', args: ['--token', canary], env: { OTHER_TOKEN: 'x-y-z-1' } };
      const error = await refusal(world.saved().add(server));
      expect(error).toMatchObject({ code: 'bad-config', data: { problems: [{ path: 'args[1]' }] } });
      expect(await world.vault.list()).toEqual([]);
      await world.saved().add(server, { allowSecretArguments: true });
      const { server: member } = await world.load('one');
      expect(member.planned.config.args).toEqual(['--token', '${secret:one.token}']);
      // What was allowed for this server is still allowed when something else of it is changed.
      await world.saved().change('one', { cwd: '/tmp' });
    });

    it('leaves neither a row nor a key nor a secret behind when it cannot be recorded', async () => {
      await using world = await savedWorld();
      world.faults.record = true;
      const error = await refusal(world.saved().add(config('one', { TOKEN: canary })));
      expect(error.code).toBe('cannot-record');
      expect(await world.vault.list()).toEqual([]);
      expect(await world.saved().list()).toEqual([]);
      world.faults.record = false;
      expect((await world.saved().add(config('one'))).server).toBe('one');
    });

    it('stores nothing while the secret store does not answer', async () => {
      await using world = await savedWorld();
      await world.vault.set('first', 'use');
      world.faults.vault = true;
      expect((await refusal(world.saved().add(config('one', { TOKEN: canary })))).code).toBe('secret-unreadable');
      expect(await world.saved().list()).toEqual([]);
    });

    it('R4: ends a server of that name that runs without being saved', async () => {
      await using world = await savedWorld();
      await world.load(config('one'));
      await world.saved().add({ ...config('one'), args: ['--other'] });
      expect(world.started[0]?.closes).toBe(1);
      expect(world.tools()).toEqual([]);
      const { server: member } = await world.load('one');
      expect(member.planned.config.args).toEqual(['--other']);
      expect(world.fleet.list(alice)).toHaveLength(1);
    });
  });

  describe('change', () => {
    it('R4: ends what runs by the old config, forgets its tools, keeps id and key, and is what starts next', async () => {
      await using world = await savedWorld();
      const { serverId, server } = await world.saved().add(config('one', { TOKEN: canary }));
      await world.load('one');
      expect(world.tools()).toEqual(['one__echo']);
      const changed = await world.saved(alice, 'client:page').change('one', { name: 'two', args: ['--new'] });
      expect(changed).toMatchObject({ serverId, name: 'two', server });
      expect(world.started.map(({ closes }) => closes)).toEqual([1]);
      expect(world.tools()).toEqual([]);
      const [listed] = await world.saved().list();
      expect(listed).toMatchObject({ name: 'two', server: 'one', state: 'stopped', tools: [], actor: 'client:page' });
      const { server: member } = await world.load('two');
      expect(member).toMatchObject({ serverKey: 'one', planned: { name: 'two', config: { args: ['--new'] } } });
      expect(member.planned.config.env).toEqual({ TOKEN: '${secret:one.TOKEN}' });
      expect(world.recorded.at(-1)).toMatchObject({ action: 'server_changed', caller: 'client:page' });
    });

    it('leaves a server alone that would start as before', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: canary, LEVEL: 'debug' }));
      await world.load('one');
      const [listed] = await world.saved().list();
      for (const same of [
        {},
        { args: ['--stdio'] },
        { env: { TOKEN: canary, LEVEL: 'debug' } },
        listed?.config ?? {},
      ]) {
        await world.saved().change('one', same);
      }
      expect(world.started.map(({ closes }) => closes)).toEqual([0]);
      expect(world.recorded).toHaveLength(1);
      expect(await world.vault.list()).toHaveLength(1);
    });

    it('replaces a secret, and removes the one that nothing uses any more', async () => {
      await using world = await savedWorld({ folder });
      await world.saved().add(config('one', { TOKEN: canary }));
      await world.saved().change('one', { env: { TOKEN: `${canary}-new` } });
      expect((await world.vault.list()).map(secret => secret.name)).toEqual(['one.TOKEN-2']);
      expect(await world.vault.get('one.TOKEN-2')).toBe(`${canary}-new`);
      await world.saved().change('one', { env: null });
      expect(await world.vault.list()).toEqual([]);
      expect(await database()).not.toContain(canary);
    });

    it('keeps a secret that another saved server refers to', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: canary }));
      await world.saved(bob).add(config('two', { TOKEN: '${secret:one.TOKEN}' }));
      await world.saved().remove('one');
      expect(await world.vault.get('one.TOKEN')).toBe(canary);
    });

    it('R4: changes nothing while what runs cannot be ended', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: 'old-value' }));
      await world.load('one');
      world.faults.stuck.add('one');
      const error = await refusal(world.saved().change('one', { env: { TOKEN: 'new-value' } }));
      expect(error.code).toBe('close-failed');
      expect((await world.vault.list()).map(secret => secret.name)).toEqual(['one.TOKEN']);
      expect(await world.saved().list()).toMatchObject([{ state: 'close-failed', error: { code: 'close-failed' } }]);
      world.faults.stuck.clear();
      await world.saved().change('one', { env: { TOKEN: 'new-value' } });
      expect(await world.vault.get('one.TOKEN-2')).toBe('new-value');
    });

    it('comes back as it was when the change cannot be recorded', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: 'old-value' }));
      await world.load('one');
      world.faults.record = true;
      const error = await refusal(world.saved().change('one', { env: { TOKEN: 'new-value' } }));
      expect(error.code).toBe('cannot-record');
      expect((await world.vault.list()).map(secret => secret.name)).toEqual(['one.TOKEN']);
      // It sleeps, and is listed by what it last offered.
      expect(await world.saved().list()).toMatchObject([{ state: 'stopped', tools: [{ toolName: 'echo' }] }]);
      expect(world.tools()).toEqual(['one__echo']);
    });

    it('refuses a name that another has, what is no config, and for an image what only a command has', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one'));
      await world.saved().add(config('two'));
      await world.saved().add('mcp/time');
      expect((await refusal(world.saved().change('one', { name: 'two' }))).code).toBe('name-in-use');
      expect((await refusal(world.saved().change('one', { command: null }))).code).toBe('bad-config');
      expect((await refusal(world.saved().change('one', { args: 'x' }))).data).toMatchObject({
        problems: [{ path: 'args' }],
      });
      expect((await refusal(world.saved().change('mcp-time', { command: 'x' }))).data).toMatchObject({
        problems: [{ path: 'command' }],
      });
      expect((await refusal(world.saved().change('mcp-time', { env: { A: 1 } }))).data).toMatchObject({
        problems: [{ path: 'env.A' }],
      });
      expect((await refusal(world.saved().change('three', {}))).message).toContain('one, two');
      await world.saved().change('mcp-time', { args: ['--utc'] }, { container: { network: 'none' } });
      const { server: member } = await world.load('mcp/time');
      expect(member.planned).toMatchObject({ config: { args: ['--utc'] }, container: { network: 'none' } });
    });

    it('heals a crash loop: the server may be started again', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one'));
      world.faults.broken.set('one', new LongshoreError('command-not-found', 'There is no such program.'));
      await refusal(world.load('one'));
      expect(await world.saved().list()).toMatchObject([{ state: 'failed', error: { code: 'command-not-found' } }]);
      world.faults.broken.clear();
      await world.saved().change('one', { args: [] });
      expect(await world.saved().list()).toMatchObject([{ state: 'stopped', error: undefined }]);
    });
  });

  describe('remove', () => {
    it('R4, R60: ends the server, awaited, then forgets it and what was made for it, and tells each part', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: canary }));
      await world.load('one');
      const order: string[] = [];
      const { connection } = world.started[0] ?? {};
      const close = connection?.close.bind(connection);
      Object.assign(connection ?? {}, {
        async close() {
          await close?.();
          order.push(`closed with ${(await world.store.servers.list()).length} row`);
        },
      });
      expect(await world.saved().remove('one')).toEqual({
        server: 'one',
        process_removed: true,
        handles_withdrawn: 1,
        saved_removed: true,
        error: undefined,
        secrets_left: [],
      });
      expect(order).toEqual(['closed with 1 row']);
      expect([await world.saved().list(), await world.vault.list(), world.tools()]).toEqual([[], [], []]);
      expect(world.recorded.map(({ action }) => action)).toEqual(['server_saved', 'server_removed']);
      expect((await refusal(world.saved().remove('one'))).code).toBe('unknown-server');
      expect((await world.saved().add(config('one'))).server).toBe('one');
    });

    it('R4, R54, R60: a server that cannot be ended stays, with its row and secrets, and a later removal tries again', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: canary }));
      await world.load('one');
      world.faults.stuck.add('one');
      const error = await refusal(world.saved().remove('one'));
      expect(error).toMatchObject({
        code: 'close-failed',
        data: { server: 'one', process_removed: 'failed', saved_removed: false },
      });
      expect(await world.saved().list()).toMatchObject([{ state: 'close-failed' }]);
      expect(await world.vault.list()).toHaveLength(1);
      world.faults.stuck.clear();
      expect(await world.saved().remove('one')).toMatchObject({ process_removed: true, saved_removed: true });
    });

    it('R60: what was ended is told although the row could not be deleted', async () => {
      await using world = await savedWorld({ folder });
      await world.saved().add(config('one', { TOKEN: canary }));
      await world.load('one');
      const other = foreignDatabase(join(folder, 'longshore.db'));
      other.exec('begin exclusive');
      const outcome = await world
        .saved()
        .remove('one')
        .finally(() => {
          other.exec('rollback');
          other.close();
        });
      expect(outcome).toMatchObject({
        process_removed: true,
        handles_withdrawn: 1,
        saved_removed: 'failed',
        error: { code: 'cannot-record' },
      });
      expect(world.started[0]?.closes).toBe(1);
      expect(await world.saved().list()).toMatchObject([{ name: 'one', state: 'unloaded' }]);
      expect(await world.vault.get('one.TOKEN')).toBe(canary);
      expect(await world.saved().remove('one')).toMatchObject({ process_removed: 'not_running', saved_removed: true });
    });

    it('names the secrets that could not be removed with it', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one', { TOKEN: canary }));
      world.faults.vault = true;
      expect(await world.saved().remove('one')).toMatchObject({ saved_removed: true, secrets_left: ['one.TOKEN'] });
    });

    it('R63: a removal joins a start that is under way, and neither waits for another server', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one'));
      await world.saved().add(config('two'));
      const { promise, resolve } = Promise.withResolvers<void>();
      world.gates.set('one', promise);
      const load = refusal(world.load('one'));
      await Promise.resolve();
      expect(await world.saved().remove('two')).toMatchObject({ saved_removed: true });
      expect(await world.saved().remove('one')).toMatchObject({ saved_removed: true });
      expect((await load).code).toBe('cancelled');
      expect(world.fleet.list(alice)).toEqual([]);
      resolve();
    });
  });

  describe('enable and disable', () => {
    it('R68: a disabled server is ended and never started, whoever asks, until it is enabled', async () => {
      await using world = await savedWorld();
      const { serverId } = await world.saved().add(config('one'));
      await world.load('one');
      await world.saved().disable('one');
      expect(world.started[0]?.closes).toBe(1);
      expect(world.tools()).toEqual([]);
      for (const attempt of [
        world.load('one'),
        world.load(serverId),
        world.load(config('one')),
        world.load(config('one'), { save: true }),
        world.saved().refreshTools('one'),
      ]) {
        expect((await refusal(attempt)).code).toBe('server-disabled');
      }
      expect(await world.saved().list()).toMatchObject([
        { state: 'disabled', enabled: false, tools: [{ toolName: 'echo', handleName: 'one__echo' }] },
      ]);
      expect(world.started).toHaveLength(1);
      await world.saved().enable('one');
      // Known from before, so its tools are there without a start.
      expect(world.tools()).toEqual(['one__echo']);
      expect(world.started).toHaveLength(1);
      await world.load('one');
      expect(world.recorded.map(({ action }) => action)).toEqual(['server_saved', 'server_disabled', 'server_enabled']);
    });

    it('R54: one that cannot be ended is disabled all the same, and disabling again tries again', async () => {
      await using world = await savedWorld();
      await world.saved().add(config('one'));
      await world.load('one');
      world.faults.stuck.add('one');
      expect((await refusal(world.saved().disable('one'))).code).toBe('close-failed');
      expect(await world.saved().list()).toMatchObject([{ state: 'close-failed', enabled: false }]);
      expect((await refusal(world.load('one'))).code).toBe('server-disabled');
      world.faults.stuck.clear();
      await world.saved().disable('one');
      expect(await world.saved().list()).toMatchObject([{ state: 'disabled' }]);
    });
  });

  describe('restore', () => {
    it('R68, R69: starts nothing, lists every server by what it last offered, and changes no row', async () => {
      {
        await using before = await savedWorld({ folder });
        before.offers.set('one', [tool('read'), tool('write')]);
        await before.saved().add(config('one', { TOKEN: canary }));
        await before.saved().add(config('two'));
        await before.saved().add('org/img:1');
        await before.saved(bob).add(config('one'));
        await before.saved().disable('two');
        await before.load('one');
        await before.load('org/img:1');
      }
      await using world = await savedWorld({ folder });
      const rows = await world.store.servers.list();
      await world.book.restore();
      expect(world.started).toEqual([]);
      expect(await world.store.servers.list()).toEqual(rows);
      expect(world.tools()).toEqual(['org-img-1__echo', 'one__read', 'one__write']);
      expect((await world.saved().list()).map(({ server, state, mode }) => [server, state, mode])).toEqual([
        ['one', 'stopped', 'config'],
        ['org-img-1', 'stopped', 'container'],
        ['two', 'disabled', 'config'],
      ]);
      expect(await world.saved(bob).list()).toMatchObject([{ state: 'stopped', tools: [] }]);
      world.offers.set('one', [tool('read'), tool('write')]);
      // The first call starts the server and no other, and only then its secret is asked for.
      const { epoch } = await world.fleet.wake(alice, world.fleet.list(alice)[1]?.serverKey ?? ('' as never), never());
      expect(world.started.map(({ asked }) => asked.serverKey)).toEqual(['one']);
      const handles = world.registry.list(alice).filter(handle => handle.ownerKey === 'one');
      expect(handles.map(handle => [handle.wireName, handle.epoch])).toEqual([
        ['read', epoch],
        ['write', epoch],
      ]);
    });

    it('R68: one bad row blocks nobody, and is listed with its reason', async () => {
      {
        await using before = await savedWorld({ folder });
        for (const name of ['one', 'two', 'three', 'four']) await before.saved().add(config(name));
        await before.load('three');
      }
      const database = foreignDatabase(join(folder, 'longshore.db'));
      database.exec(`update servers set config_json = '{"name":' where name = 'one'`);
      database.exec(`update servers set config_json = '{"name":"two"}' where name = 'two'`);
      database.exec("update cached_definitions set definition = '{'");
      database.close();
      await using world = await savedWorld({ folder });
      await world.book.restore();
      expect((await world.saved().list()).map(({ name, state, error }) => [name, state, error?.code])).toEqual([
        ['four', 'stopped', undefined],
        ['one', 'restore-failed', 'bad-config'],
        ['three', 'stopped', undefined],
        ['two', 'restore-failed', 'bad-config'],
      ]);
      const errors = (await world.saved().list()).flatMap(({ error }) => error?.message ?? []);
      expect(errors).toEqual([
        expect.stringContaining('one could not be restored'),
        expect.stringContaining('command'),
      ]);
      expect((await refusal(world.load('two'))).code).toBe('bad-config');
      await world.load('three');
      // It can be put right, or removed.
      await world.saved().change('two', { command: 'server' });
      await world.load('two');
      expect(await world.saved().remove('one')).toMatchObject({ saved_removed: true });
    });

    it('R59, S12: an entry of an older version is listed, never started, and its removal is all that may be done with it', async () => {
      await using world = await savedWorld();
      const old = {
        agentId: alice,
        name: 'mcp-mcp-time-latest',
        serverKey: 'mcp-mcp-time-latest' as SavedServer['serverKey'],
        mode: 'container' as const,
        config: null,
        image: 'mcp/time:latest',
        args: null,
        enabled: true,
        loaded: true,
        actor: 'operator',
      };
      await world.store.servers.save([old]);
      await world.book.restore();
      const [listed] = await world.saved().list();
      expect(listed).toMatchObject({ state: 'legacy', health: { state: 'failed' } });
      expect(listed?.error?.message).toContain('!mcp-unload mcp-mcp-time-latest, then !mcp-load mcp/time:latest');
      expect(world.fleet.list(alice)).toEqual([]);
      for (const attempt of [
        world.load('mcp-mcp-time-latest'),
        world.saved().enable('mcp-mcp-time-latest'),
        world.saved().change('mcp-mcp-time-latest', { args: [] }),
        world.saved().refreshTools('mcp-mcp-time-latest'),
      ]) {
        expect((await refusal(attempt)).message).toContain('!mcp-unload');
      }
      const { server: member } = await world.load('mcp/time', { save: true });
      expect(await world.unload('mcp-mcp-time-latest')).toMatchObject({
        process_removed: 'not_running',
        saved_removed: true,
      });
      // Neither a process nor a container was looked at for it.
      expect([world.reclaimed, world.started.length, member.state.name]).toEqual([[], 1, 'connected']);
      expect((await world.saved().list()).map(({ image, state }) => [image, state])).toEqual([
        ['mcp/time:latest', 'connected'],
      ]);
    });

    it('R57: what another agent saved under the very same id is not taken for an older version', async () => {
      await using world = await savedWorld();
      await world.saved(alice).add('mcp/time');
      await world.saved(bob).add('mcp/time');
      await world.book.restore();
      const states = await Promise.all([alice, bob].map(async owner => (await world.saved(owner).list())[0]?.state));
      expect(states).toEqual(['stopped', 'stopped']);
    });
  });

  it('keeps what a server offers when it is first seen and when that changes, and writes nothing twice', async () => {
    await using world = await savedWorld();
    const { serverId } = await world.saved().add(config('one'));
    await world.load('one');
    await world.book.needs.cache.idle();
    const [first] = await world.store.cachedDefinitions.of(serverId);
    expect(first).toMatchObject({ kind: 'tool', wireName: 'echo', protocolVersion: '2026-07-28' });
    expect(first?.definitionDigest).toHaveLength(sha256('').length);
    await world.fleet.reload(alice, world.started[0]?.asked.serverKey ?? ('' as never), {
      signal: never(),
      onPhase() {},
    });
    await world.book.needs.cache.idle();
    expect((await world.store.cachedDefinitions.of(serverId))[0]?.discoveredAt).toBe(first?.discoveredAt);
    world.offers.set('one', [tool('echo', 'another'), tool('more')]);
    await world.fleet.reload(alice, world.started[0]?.asked.serverKey ?? ('' as never), {
      signal: never(),
      onPhase() {},
    });
    await world.book.needs.cache.idle();
    expect((await world.store.cachedDefinitions.of(serverId)).map(({ wireName }) => wireName)).toEqual([
      'echo',
      'more',
    ]);
  });

  it('accepts nothing more once its host closes', async () => {
    await using world = await savedWorld();
    await world.saved().add(config('one'));
    await world.book.close();
    for (const attempt of [
      world.saved().add(config('two')),
      world.saved().remove('one'),
      world.saved().refreshTools('one'),
    ]) {
      expect((await refusal(attempt)).code).toBe('server-closing');
    }
  });
});

function never(): AbortSignal {
  return new AbortController().signal;
}

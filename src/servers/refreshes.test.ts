import { describe, expect, it } from 'vitest';
import { alice, bob, savedWorld, tool } from '../../test/fixtures/saved-world.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';

async function refusal(promise: Promise<unknown>): Promise<LongshoreError> {
  return asLongshoreError(
    await promise.then(
      () => new Error('nothing was refused'),
      (error: unknown) => error,
    ),
  );
}

const one = { name: 'one', command: 'server', deadlines: { open: 5_000 } };

describe('a refresh of tools', () => {
  it('starts the server on a connection of its own, keeps what it offers, and ends it', async () => {
    await using world = await savedWorld();
    const { serverId } = await world.saved().add(one);
    world.offers.set('one', [tool('read', 'Reads.'), tool('write')]);
    const phases: string[] = [];
    const found = await world.saved().refreshTools('one', { onPhase: phase => void phases.push(phase) });
    expect(found).toMatchObject({
      tools: [{ name: 'read', description: 'Reads.' }, { name: 'write' }],
      protocol_version: '2026-07-28',
      diagnostics: [],
    });
    expect(phases).toEqual(['listing']);
    const [{ asked, closes } = { asked: undefined, closes: 0 }] = world.started;
    expect(asked?.serverKey).toMatch(/^refresh-[0-9a-f]{32}$/);
    expect(asked?.deadlines.open).toBe(5_000);
    expect(closes).toBe(1);
    expect((await world.store.cachedDefinitions.of(serverId)).map(({ wireName }) => wireName)).toEqual([
      'read',
      'write',
    ]);
    // From then on they can be called, and the first call starts the server.
    expect(world.tools()).toEqual(['one__read', 'one__write']);
    expect(await world.saved().list()).toMatchObject([
      {
        state: 'stopped',
        tools: [{ toolName: 'read', handleName: 'one__read', description: 'Reads.' }, { toolName: 'write' }],
      },
    ]);
  });

  it('never disturbs the live connection, whose handles stay the same', async () => {
    await using world = await savedWorld();
    await world.saved().add(one);
    await world.load('one');
    const before = world.registry.list(alice);
    world.offers.set('one', [tool('other')]);
    await world.saved().refreshTools('one');
    expect(world.registry.list(alice)).toEqual(before);
    expect(world.registry.list(alice)[0]).toBe(before[0]);
    expect(world.started.map(({ closes }) => closes)).toEqual([0, 1]);
  });

  it('runs once at a time for each server, and side by side for two', async () => {
    await using world = await savedWorld();
    await world.saved().add(one);
    await world.saved().add({ ...one, name: 'two' });
    const { promise, resolve } = Promise.withResolvers<void>();
    world.gates.set('one', promise);
    const first = world.saved().refreshTools('one');
    await expect.poll(async () => (await refusal(world.saved().refreshTools('one'))).code).toBe('already-running');
    await world.saved().refreshTools('two');
    resolve();
    await first;
    await world.saved().refreshTools('one');
  });

  it('R50: is cancelled by whoever asked for it, and leaves nothing', async () => {
    await using world = await savedWorld();
    await world.saved().add(one);
    world.gates.set('one', new Promise(() => {}));
    const abort = new AbortController();
    const refused = refusal(world.saved().refreshTools('one', { signal: abort.signal }));
    await expect.poll(() => world.asked.length).toBe(1);
    abort.abort();
    expect((await refused).code).toBe('cancelled');
    // What the ledger may still have of it is removed under the key it had, never under the server's own.
    expect(world.reclaimed).toEqual([expect.stringMatching(/^refresh-/)]);
    expect(world.tools()).toEqual([]);
    world.gates.clear();
    await world.saved().refreshTools('one');
  });

  it.each<[string, (world: Awaited<ReturnType<typeof savedWorld>>) => Promise<unknown>]>([
    ['removed', world => world.saved().remove('one')],
    ['disabled', world => world.saved().disable('one')],
    ['changed', world => world.saved().change('one', { args: ['--new'] })],
    ['imported anew', world => world.saved().importJson(JSON.stringify({ ...one, args: ['--new'] }))],
  ])('R4: ends when its server is %s, and what it found is not kept', async (_, act) => {
    await using world = await savedWorld();
    const { serverId } = await world.saved().add(one);
    world.gates.set('one', new Promise(() => {}));
    const refused = refusal(world.saved().refreshTools('one'));
    await expect.poll(() => world.asked.length).toBe(1);
    await act(world);
    expect((await refused).code).toBe('cancelled');
    expect(await world.store.cachedDefinitions.of(serverId)).toEqual([]);
    expect(world.tools()).toEqual([]);
  });

  it('says why the server does not start or cannot be ended', async () => {
    await using world = await savedWorld();
    await world.saved().add(one);
    world.faults.broken.set('one', new LongshoreError('command-not-found', 'There is no such program.'));
    expect((await refusal(world.saved().refreshTools('one'))).code).toBe('command-not-found');
    expect(await world.saved().list()).toMatchObject([{ state: 'stopped' }]);
    world.faults.broken.clear();
    world.faults.stuck.add('one');
    expect((await refusal(world.saved().refreshTools('one'))).code).toBe('close-failed');
    expect((await refusal(world.saved().refreshTools('two'))).code).toBe('unknown-server');
  });

  it('R55: of an image, which has one container, lists the live one and lets no start meet its own', async () => {
    await using world = await savedWorld();
    await world.saved().add('mcp/time');
    await world.load('mcp/time');
    await world.saved().refreshTools('mcp-time');
    expect(world.started.map(({ asked, closes }) => [asked.serverKey, closes])).toEqual([['mcp-time', 0]]);
    await world.saved().disable('mcp-time');
    await world.saved().enable('mcp-time');
    const { promise, resolve } = Promise.withResolvers<void>();
    world.gates.set('mcp/time:latest', promise);
    const refreshed = world.saved().refreshTools('mcp-time');
    const woken = world.load('mcp/time');
    await expect.poll(() => world.asked.length).toBe(2);
    resolve();
    await Promise.all([refreshed, woken]);
    expect(world.started.map(({ asked, closes }) => [asked.serverKey.slice(0, 8), closes])).toEqual([
      ['mcp-time', 1],
      ['refresh-', 1],
      ['mcp-time', 0],
    ]);
  });

  it('R4: ends with its agent, and with no other', async () => {
    await using world = await savedWorld();
    await world.saved().add(one);
    await world.saved(bob).add(one);
    world.gates.set('one', new Promise(() => {}));
    const refused = refusal(world.saved().refreshTools('one'));
    const abort = new AbortController();
    const other = refusal(world.saved(bob).refreshTools('one', { signal: abort.signal }));
    await expect.poll(async () => (await refusal(world.saved(bob).refreshTools('one'))).code).toBe('already-running');
    await world.book.refreshes.stopAll(alice);
    expect((await refused).code).toBe('cancelled');
    expect((await refusal(world.saved(bob).refreshTools('one'))).code).toBe('already-running');
    abort.abort();
    await other;
  });

  it('R50: ends with its host, which leaves nothing behind', async () => {
    const world = await savedWorld();
    await world.saved().add(one);
    world.gates.set('one', new Promise(() => {}));
    const refused = refusal(world.saved().refreshTools('one'));
    await expect.poll(() => world.asked.length).toBe(1);
    await world[Symbol.asyncDispose]();
    expect((await refused).code).toBe('cancelled');
  });
});

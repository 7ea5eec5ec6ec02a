import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../test/fixtures/manual-clock.ts';
import { alice, savedWorld } from '../../test/fixtures/saved-world.ts';
import type { ServerKey } from '../core/ids.ts';
import { reloadServer } from './load-server.ts';
import { endServer } from './unload-server.ts';

/** More for whoever wants to be surer: `LONGSHORE_RACES=10000`. */
const runs = Number(process.env['LONGSHORE_RACES'] ?? 150);

const config = { name: 'one', command: 'x' };
const acts = [
  'load',
  'load',
  'load-saved',
  'reload',
  'unload',
  'unload',
  'remove',
  'add',
  'disable',
  'enable',
  'change',
  'refresh',
  'sleep',
  'wake',
  'list-changed',
  'kill',
  'time',
  'cleanup',
  'dispose',
] as const;
type Act = (typeof acts)[number];

type World = Awaited<ReturnType<typeof savedWorld>>;

/** Everything that may be done to the server of `config`; refusals are answers too. */
function act(world: World, clock: ReturnType<typeof manualClock>, what: Act): Promise<unknown> {
  const options = { signal: new AbortController().signal, onPhase() {} };
  const last = world.started.at(-1);
  switch (what) {
    case 'load':
      return world.load(config);
    case 'load-saved':
      return world.load(config, { save: true });
    case 'reload':
      return reloadServer(world.book, { agentId: alice, actor: 'library' }, 'one', options);
    case 'unload':
      return world.unload('one');
    case 'remove':
      return world.saved().remove('one');
    case 'add':
      return world.saved().add(config);
    case 'disable':
      return world.saved().disable('one');
    case 'enable':
      return world.saved().enable('one');
    case 'change':
      return world.saved().change('one', { args: [`${world.started.length}`] });
    case 'refresh':
      return world.saved().refreshTools('one');
    case 'sleep':
      world.idle.set('one', 1);
      return world.fleet.sleepIdle(1);
    case 'wake':
      return world.fleet.wake(alice, 'one' as ServerKey, options.signal);
    case 'list-changed':
      last?.changeList();
      return Promise.resolve();
    case 'kill':
      last?.connection.end('killed');
      return Promise.resolve();
    case 'time':
      clock.advance(20_000);
      return Promise.resolve();
    case 'cleanup':
      return endServer(world.book, alice, 'one');
    case 'dispose':
      return world.book.endAll(alice);
  }
}

/** Waits until nothing is under way any more. */
async function settle(world: World): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    for (const server of world.fleet.list(alice)) await server.aside(() => Promise.resolve());
    for (let tick = 0; tick < 8; tick += 1) await turn();
  }
}

/** What runs, what the ledger has, what is listed and what can be called are the same. */
async function expectAgreement(world: World): Promise<void> {
  const alive = world.started.filter(one => one.isAlive).map(one => one.asked.serverKey);
  const servers = world.fleet.list(alice);
  const connected = servers.filter(server => server.connection).map(server => server.serverKey);
  const rows = await world.saved().list();
  expect(alive).toEqual(connected);
  expect((await world.ledger.list()).map(holding => holding.serverKey)).toEqual(connected);
  expect(servers.length).toBeLessThanOrEqual(1);
  const handles = world.registry.list(alice);
  expect(handles.filter(({ ownerKey }) => world.fleet.server(alice, ownerKey) === undefined)).toEqual([]);
  const live = handles.filter(({ epoch }) => epoch !== null);
  expect(live.map(({ epoch }) => epoch)).toEqual(
    live.map(({ ownerKey }) => world.fleet.connection(alice, ownerKey)?.epoch),
  );
  for (const row of rows) {
    const server = world.fleet.server(alice, row.server);
    expect(row.state).toBe(server?.state.name ?? (row.enabled ? 'unloaded' : 'disabled'));
    expect(row.holdings.length).toBe(server?.connection ? 1 : 0);
  }
}

describe('one server, whatever is done to it at once', () => {
  it('D1: engine, ledger, lists and handles agree after any interleaving, and nothing is left at the end', async () => {
    const step = fc.record({ act: fc.constantFrom(...acts), gap: fc.nat({ max: 3 }) });
    const pauses = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), pauses, async (steps, lengths) => {
        let pausesSoFar = 0;
        const pause = async () => {
          pausesSoFar += 1;
          for (let tick = lengths[pausesSoFar % lengths.length] ?? 0; tick > 0; tick -= 1) await turn();
        };
        const clock = manualClock();
        await using world = await savedWorld({ clock, pause });
        const done: Promise<unknown>[] = [];
        for (const { act: what, gap } of steps) {
          done.push(act(world, clock, what).catch(() => undefined));
          for (let tick = 0; tick < gap; tick += 1) await turn();
        }
        await Promise.all(done);
        await settle(world);
        await expectAgreement(world);
        // A load that is still waiting when the host ends is refused, or ended with everything else.
        const late = world.load(config).catch(() => undefined);
        await Promise.all([world.book.close(), world.fleet.close()]);
        await world.fleet.reclaimLeft();
        expect(await world.ledger.list()).toEqual([]);
        await late;
        expect(world.started.filter(one => one.isAlive)).toEqual([]);
        expect(world.fleet.list(alice)).toEqual([]);
      }),
      { numRuns: runs },
    );
  }, 600_000);

  it('D1: a load that comes after an unload makes a new server, one that came before is ended by it', async () => {
    await using world = await savedWorld({ pause: () => turn() });
    const first = await world.load(config);
    const [, second] = await Promise.all([world.unload('one'), world.load(config)]);
    expect(second.server).not.toBe(first.server);
    expect(world.fleet.list(alice)).toEqual([second.server]);
    await world.unload('one');
    for (const end of [() => world.unload('one'), () => endServer(world.book, alice, 'one')]) {
      const third = world.load({ ...config, args: ['x'] }).catch((error: unknown) => error);
      await end();
      await expect(third).resolves.toMatchObject({ code: 'cancelled' });
    }
    expect([world.fleet.list(alice), await world.ledger.list()]).toEqual([[], []]);
  });

  it('D1: a reload that comes after an unload finds nothing to reload, and leaves nothing', async () => {
    await using world = await savedWorld({ pause: () => turn() });
    await world.load(config);
    const [, reloaded] = await Promise.allSettled([
      world.unload('one'),
      reloadServer(world.book, { agentId: alice, actor: 'library' }, 'one', {
        signal: new AbortController().signal,
        onPhase() {},
      }),
    ]);
    expect(reloaded).toMatchObject({ status: 'rejected', reason: { code: 'unknown-server' } });
    expect([world.fleet.list(alice), await world.ledger.list()]).toEqual([[], []]);
  });

  it('D1: dispose ends what was asked for before it, and what it has not seen stays a server of its own', async () => {
    await using world = await savedWorld({ pause: () => turn() });
    const before = world.load(config).catch((error: unknown) => error);
    const disposed = world.book.endAll(alice);
    const after = world.load({ ...config, name: 'two' });
    await disposed;
    expect(await before).toMatchObject({ code: 'cancelled' });
    expect(world.fleet.list(alice)).toEqual([(await after).server]);
    await world.book.endAll(alice);
    expect([world.fleet.list(alice), await world.ledger.list()]).toEqual([[], []]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Discovery } from '../connections/connection.ts';
import { systemClock } from '../core/clock.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { agentId, type Epoch, randomId, type ServerKey } from '../core/ids.ts';
import { silentLog } from '../core/ports/log.ts';
import type { Discovered, MountReason } from '../core/ports/mount.ts';
import { Fleet, type StartOptions } from './fleet.ts';
import type { ManagedServer } from './managed-server.ts';

const agent = agentId('did:example:one');
const found: Discovery = {
  tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
  resources: [],
  templates: [],
  prompts: [],
  diagnostics: [],
};

function planned(name: string): PlannedServer {
  return { identity: `config:${name}`, name, wantedKey: name, kind: 'process', config: { name }, diagnostics: [] };
}

function options(signal = new AbortController().signal): StartOptions {
  return { signal, onPhase() {} };
}

/** A server that does what a test says: `end` is its crash. */
class Server implements Connection {
  readonly agentId = agent;
  readonly serverKey: ServerKey;
  readonly epoch = randomId() as Epoch;
  readonly era = 'modern';
  readonly transport = 'stdio';
  readonly protocolVersion = '2026-07-28';
  readonly serverInfo = {};
  readonly capabilities = {};
  readonly instructions = undefined;
  readonly state = { name: 'ready' } as const;
  closes = 0;
  checks = 0;
  failsToClose = 0;
  end: (reason: string) => void = () => {};
  readonly ended = new Promise<{ reason: string }>(resolve => {
    this.end = reason => resolve({ reason });
  });

  constructor(serverKey: ServerKey) {
    this.serverKey = serverKey;
  }

  supports() {
    return true;
  }
  discover() {
    return Promise.resolve(found);
  }
  call() {
    return Promise.resolve({});
  }
  onNotice() {
    return () => {};
  }
  setLogLevel() {
    return Promise.resolve();
  }
  subscribe() {
    return Promise.resolve();
  }
  unsubscribe() {
    return Promise.resolve();
  }
  checkLife() {
    this.checks += 1;
    return Promise.resolve();
  }
  changeList: () => void = () => {};
  onListChanged(listener: () => void) {
    this.changeList = listener;
    return () => {};
  }
  stderrTail() {
    return [];
  }
  stderrCount() {
    return 0;
  }
  diagnostics() {
    return [];
  }
  async close() {
    this.closes += 1;
    if (this.failsToClose > 0) {
      this.failsToClose -= 1;
      throw new LongshoreError('close-failed', 'it is still there');
    }
  }
}

function fleetOf(connect: (key: ServerKey) => Promise<Server>) {
  const servers: Server[] = [];
  const mounts: (readonly [MountReason | 'withdraw', string | null])[] = [];
  const states: string[] = [];
  const idle = new Map<string, number>();
  const fleet = new Fleet({
    deadlines: defaultDeadlines,
    log: silentLog,
    clock: systemClock,
    mount: {
      mount: ({ epoch }: Discovered, reason) => {
        mounts.push([reason, epoch]);
        return [];
      },
      withdraw: () => {
        mounts.push(['withdraw', null]);
        return 1;
      },
    },
    held: () => Promise.resolve(0),
    owners: () => Promise.resolve([]),
    async connect({ serverKey }) {
      const server = await connect(serverKey);
      servers.push(server);
      return server;
    },
    reclaim: () => Promise.resolve(0),
    idleFor: (_, key) => idle.get(key),
    onNotice: () => {},
    onState: member => void states.push(member.state.name),
  });
  return { fleet, servers, mounts, states, idle };
}

describe('Fleet', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('R63: a start that hangs delays no other server, and an unload behind it aborts and joins it', async () => {
    const signals: AbortSignal[] = [];
    const { fleet } = fleetOf(key => Promise.resolve(new Server(key)));
    const stuck = fleetOf(() => new Promise(() => {}));
    expect(signals).toEqual([]);
    void stuck.fleet.load(agent, planned('stuck'), options());
    await fleet.load(agent, planned('quick'), options());
    expect(fleet.list(agent)[0]?.state.name).toBe('connected');
  });

  it('R3, R63: a stop makes every start that was asked for before it unwanted', async () => {
    let opened = 0;
    const gate = Promise.withResolvers<void>();
    const { fleet } = fleetOf(async key => {
      opened += 1;
      await gate.promise;
      return new Server(key);
    });
    const first = fleet.load(agent, planned('one'), options());
    const second = fleet.load(agent, planned('one'), options());
    await Promise.resolve();
    const stopped = fleet.unload(agent, 'one' as ServerKey);
    gate.resolve();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    await first.catch(() => undefined);
    await stopped;
    expect(opened).toBe(1);
    expect(fleet.list(agent)).toEqual([]);
  });

  it('R54: a server that could not be closed stays listed, starts nothing new, and a later unload tries again', async () => {
    const { fleet, servers } = fleetOf(key => Promise.resolve(new Server(key)));
    await fleet.load(agent, planned('one'), options());
    const [server] = servers;
    if (!server) throw new Error('nothing was started');
    server.failsToClose = 1;
    await expect(fleet.unload(agent, server.serverKey)).rejects.toMatchObject({ code: 'close-failed' });
    expect(fleet.list(agent)[0]?.state.name).toBe('close-failed');
    expect(await fleet.unload(agent, server.serverKey)).toMatchObject({ process: 'removed' });
    expect(fleet.list(agent)).toEqual([]);
    expect(server.closes).toBe(2);
  });

  it('R4: ending all of an agent names those that are left and ends the others', async () => {
    const { fleet, servers } = fleetOf(key => Promise.resolve(new Server(key)));
    for (const name of ['one', 'two', 'three']) await fleet.load(agent, planned(name), options());
    if (servers[1]) servers[1].failsToClose = 1;
    await expect(fleet.unloadAll(agent)).rejects.toThrow('two: ');
    expect(fleet.list(agent).map(member => member.serverKey)).toEqual(['two']);
    expect(servers.map(server => server.closes)).toEqual([1, 1, 1]);
  });

  it('R41: handles of a server that ended by itself are withdrawn at once, and it is not started again unless it is saved', async () => {
    const { fleet, servers, mounts } = fleetOf(key => Promise.resolve(new Server(key)));
    await fleet.load(agent, planned('one'), options());
    servers[0]?.end('exited with code 1');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(mounts.map(([reason]) => reason)).toEqual(['load', 'withdraw']);
    expect(fleet.list(agent)[0]?.state).toMatchObject({ name: 'failed', error: { code: 'connection-lost' } });
    expect(servers).toHaveLength(1);
    await expect(fleet.wake(agent, 'one' as ServerKey, options().signal)).rejects.toMatchObject({
      code: 'connection-lost',
    });
  });

  describe('a remote server', () => {
    const elsewhere = (name: string): PlannedServer => ({ ...planned(name), kind: 'remote' });
    const down = new LongshoreError('unreachable', 'nobody listens');

    it('R41: that lost its session is opened anew at once, saved or not; its handles are others, and listed throughout', async () => {
      const { fleet, servers, mounts, states } = fleetOf(key => Promise.resolve(new Server(key)));
      const member = await fleet.load(agent, elsewhere('one'), options());
      servers[0]?.end('the session is gone');
      await vi.advanceTimersByTimeAsync(0);
      expect(member.state.name).toBe('connected');
      expect(mounts).toEqual([
        ['load', servers[0]?.epoch],
        ['withdraw', null],
        ['load', null],
        ['wake', servers[1]?.epoch],
      ]);
      expect(states).not.toContain('crash-loop');
    });

    it('whose sessions last no minute is opened anew ever more slowly', async () => {
      const { fleet, servers } = fleetOf(key => Promise.resolve(new Server(key)));
      await fleet.load(agent, elsewhere('one'), options());
      for (const seconds of [0, 2, 4, 8, 16]) {
        const before = servers.length;
        servers.at(-1)?.end('the session is gone');
        await vi.advanceTimersByTimeAsync(Math.max(0, seconds * 1_000 - 1));
        expect(servers.length - before).toBe(seconds === 0 ? 1 : 0);
        await vi.advanceTimersByTimeAsync(1);
        expect(servers.length - before).toBe(1);
      }
    });

    it('that is down for long is no crash loop: its next call tries again', async () => {
      let up = true;
      const { fleet, servers, states } = fleetOf(async key => {
        if (!up) throw down;
        return new Server(key);
      });
      const member = await fleet.load(agent, elsewhere('one'), options());
      up = false;
      servers[0]?.end('the connection was lost');
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect([member.state.name, states.includes('crash-loop')]).toEqual(['failed', false]);
      await expect(fleet.wake(agent, member.serverKey, options().signal)).rejects.toThrow('nobody listens');
      up = true;
      expect((await fleet.wake(agent, member.serverKey, options().signal)).epoch).toBe(servers[1]?.epoch);
    });

    it('a call that comes in the moment of the loss waits for the new connection', async () => {
      const { fleet, servers } = fleetOf(key => Promise.resolve(new Server(key)));
      const member = await fleet.load(agent, elsewhere('one'), options());
      const states: string[] = [];
      const [first] = servers;
      if (!first) throw new Error('nothing was started');
      first.end('the session is gone');
      for (let tick = 0; tick < 8; tick += 1) {
        states.push(member.state.name);
        const connection = await fleet.wake(agent, member.serverKey, options().signal);
        if (connection !== (first as Connection)) break;
        await Promise.resolve();
      }
      expect(member.state.name).toBe('connected');
      expect(servers.length).toBe(2);
    });

    it('is asked for a sign of life, and others are not', async () => {
      const { fleet, servers } = fleetOf(key => Promise.resolve(new Server(key)));
      await fleet.load(agent, elsewhere('one'), options());
      await fleet.load(agent, planned('two'), options());
      await fleet.checkRemotes();
      expect(servers.map(server => server.checks)).toEqual([1, 0]);
    });

    it('that never worked is not tried again behind the back of whoever loaded it', async () => {
      let starts = 0;
      const { fleet } = fleetOf(() => {
        starts += 1;
        throw down;
      });
      await expect(fleet.load(agent, elsewhere('one'), options())).rejects.toThrow('nobody listens');
      await vi.advanceTimersByTimeAsync(600_000);
      expect(starts).toBe(1);
    });

    it('that wants a login is not asked again and again', async () => {
      let starts = 0;
      const { fleet } = fleetOf(() => {
        starts += 1;
        throw new LongshoreError('needs-login', 'it asks for a login');
      });
      await expect(fleet.load(agent, elsewhere('one'), options())).rejects.toMatchObject({ code: 'needs-login' });
      await vi.advanceTimersByTimeAsync(600_000);
      await expect(fleet.wake(agent, 'one' as ServerKey, options().signal)).rejects.toMatchObject({
        code: 'needs-login',
      });
      expect(starts).toBe(1);
    });
  });

  describe('a saved server', () => {
    function restore(
      name: string,
      connect: (key: ServerKey) => Promise<Server> = key => Promise.resolve(new Server(key)),
    ) {
      const made = fleetOf(connect);
      const last = { discovery: found, protocolVersion: '2025-11-25' };
      const member = made.fleet.restore(agent, { planned: planned(name), serverKey: name as ServerKey, last });
      return { ...made, member };
    }

    function nameOf(member: ManagedServer): string {
      return member.state.name;
    }

    it('R68: is listed by what it last offered without being started, and the first call wakes it', async () => {
      const { fleet, member, servers, mounts } = restore('one');
      expect([mounts, servers, nameOf(member)]).toEqual([[['load', null]], [], 'stopped']);
      const connection = await fleet.wake(agent, member.serverKey, options().signal);
      expect(mounts[1]).toEqual(['wake', connection.epoch]);
    });

    it('sleeps when it is idle and never while a call waits or runs', async () => {
      const { fleet, member, servers, mounts, idle } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      await fleet.sleepIdle(1_000);
      expect(nameOf(member)).toBe('connected');
      idle.set('one', 1_000);
      await fleet.sleepIdle(1_000);
      expect([nameOf(member), mounts.at(-1), servers[0]?.closes]).toEqual(['stopped', ['sleep', null], 1]);
      await fleet.wake(agent, member.serverKey, options().signal);
      expect(mounts.at(-1)?.[0]).toBe('wake');
    });

    it('starts again after 1, 2, 4, 8 and 16 seconds, then is a crash loop that only a restart heals', async () => {
      let starts = 0;
      const { fleet, member, states } = restore('one', async key => {
        starts += 1;
        if (starts > 1 && starts < 7) throw new LongshoreError('failed-to-start', 'exited with code 1');
        return new Server(key);
      });
      await fleet.wake(agent, member.serverKey, options().signal);
      const lost = member.connection;
      if (!(lost instanceof Server)) throw new Error('nothing was started');
      lost.end('exited with code 1');
      const seen: number[] = [];
      for (const seconds of [1, 2, 4, 8, 16]) {
        await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
        const before = starts;
        expect(member.state).toMatchObject({ name: 'restarting', of: 5 });
        await vi.advanceTimersByTimeAsync(1);
        seen.push(starts - before);
      }
      expect(seen).toEqual([1, 1, 1, 1, 1]);
      expect(nameOf(member)).toBe('crash-loop');
      await expect(fleet.wake(agent, member.serverKey, options().signal)).rejects.toMatchObject({
        code: 'failed-to-start',
      });
      await vi.advanceTimersByTimeAsync(600_000);
      expect(starts).toBe(6);
      await fleet.reload(agent, member.serverKey, options());
      expect(nameOf(member)).toBe('connected');
      expect(states).toContain('crash-loop');
    });

    it('forgets crashes after a minute of steady life', async () => {
      const { fleet, member, servers } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      for (let crash = 0; crash < 8; crash += 1) {
        await vi.advanceTimersByTimeAsync(60_000);
        servers.at(-1)?.end('exited');
        await vi.advanceTimersByTimeAsync(1_000);
        expect(nameOf(member)).toBe('connected');
      }
    });

    it('does not start again what starting again cannot help', async () => {
      let starts = 0;
      const { fleet, member } = restore('one', () => {
        starts += 1;
        throw new LongshoreError('command-not-found', 'no such program');
      });
      await expect(fleet.wake(agent, member.serverKey, options().signal)).rejects.toMatchObject({
        code: 'command-not-found',
      });
      await vi.advanceTimersByTimeAsync(600_000);
      expect([starts, nameOf(member)]).toEqual([1, 'failed']);
    });

    it('a call that comes between two tries waits for the next one, and may be cancelled', async () => {
      let starts = 0;
      const { fleet, member } = restore('one', async key => {
        starts += 1;
        if (starts === 1) throw new LongshoreError('failed-to-start', 'exited');
        return new Server(key);
      });
      await expect(fleet.wake(agent, member.serverKey, options().signal)).rejects.toMatchObject({
        code: 'failed-to-start',
      });
      const abort = new AbortController();
      const given = fleet.wake(agent, member.serverKey, abort.signal);
      const refused = given.catch((error: unknown) => error);
      const waiting = fleet.wake(agent, member.serverKey, options().signal);
      abort.abort();
      expect(await refused).toMatchObject({ code: 'cancelled' });
      await vi.advanceTimersByTimeAsync(1_000);
      expect((await waiting).serverKey).toBe('one');
      expect(starts).toBe(2);
    });

    it('keeps its key while it is not here, and a server that is saved later keeps the one it has', async () => {
      const { fleet } = fleetOf(key => Promise.resolve(new Server(key)));
      fleet.reserve(agent, 'one' as ServerKey);
      const other = await fleet.load(agent, planned('one'), options());
      expect(other.serverKey).toMatch(/^one-[0-9a-f]{4}$/);
      fleet.keep(other, { ...planned('one'), config: { name: 'one', command: 'saved' } });
      expect(other.planned.config.command).toBe('saved');
      await fleet.unload(agent, other.serverKey);
      expect(() => fleet.freeKey(agent, planned('one'))).toThrow(expect.objectContaining({ code: 'name-in-use' }));
      fleet.release(agent, 'one' as ServerKey);
      expect(fleet.freeKey(agent, planned('one'))).toBe('one');
      expect(fleet.restore(agent, { planned: planned('two'), serverKey: other.serverKey, last: undefined })).toBe(
        fleet.restore(agent, { planned: planned('three'), serverKey: other.serverKey, last: undefined }),
      );
    });

    it('is listed by what it was seen to offer meanwhile, unless it lists itself', async () => {
      const { fleet, member, mounts } = restore('one');
      const seen = { discovery: found, protocolVersion: '2026-07-28' };
      fleet.offer(agent, member.serverKey, seen);
      expect(mounts).toEqual([
        ['load', null],
        ['load', null],
      ]);
      await fleet.wake(agent, member.serverKey, options().signal);
      fleet.offer(agent, member.serverKey, seen);
      fleet.offer(agent, 'nobody' as ServerKey, seen);
      expect(mounts.map(([reason]) => reason)).toEqual(['load', 'load', 'wake']);
    });

    it('Q11: a call in the moment of a crash waits for the next start, which is known before the crash is told', async () => {
      const gate = Promise.withResolvers<void>();
      const { fleet, member, servers, states } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      const [first] = servers;
      if (!first) throw new Error('nothing was started');
      // What is left of it takes a while to go.
      first.close = () => gate.promise;
      first.end('exited with code 1');
      await Promise.resolve();
      expect(states.at(-1)).toBe('restarting');
      const calls = [fleet.wake(agent, member.serverKey, options().signal)];
      await vi.advanceTimersByTimeAsync(50);
      calls.push(fleet.wake(agent, member.serverKey, options().signal));
      await vi.advanceTimersByTimeAsync(2_000);
      expect(servers).toHaveLength(1);
      gate.resolve();
      expect((await Promise.all(calls)).map(({ epoch }) => epoch)).toEqual([servers[1]?.epoch, servers[1]?.epoch]);
      expect(states).not.toContain('failed');
    });

    it('Q11: a call waits for the next of several tries too', async () => {
      let starts = 0;
      const { fleet, member, servers } = restore('one', async key => {
        starts += 1;
        if (starts === 2) throw new LongshoreError('failed-to-start', 'exited');
        return new Server(key);
      });
      await fleet.wake(agent, member.serverKey, options().signal);
      servers[0]?.end('exited');
      await vi.advanceTimersByTimeAsync(1_000);
      expect([starts, nameOf(member)]).toEqual([2, 'restarting']);
      const call = fleet.wake(agent, member.serverKey, options().signal);
      await vi.advanceTimersByTimeAsync(2_000);
      expect((await call).epoch).toBe(servers[1]?.epoch);
    });

    it('is not started again while something of it is left that could not be removed', async () => {
      const { fleet, member, servers } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      if (servers[0]) servers[0].failsToClose = 1;
      servers[0]?.end('exited');
      await vi.advanceTimersByTimeAsync(60_000);
      expect([servers.length, nameOf(member)]).toEqual([1, 'close-failed']);
    });

    it('T2: whoever stops or reloads it waits for the end of a listing that is under way', async () => {
      const { fleet, member, servers } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      const [first] = servers;
      if (!first) throw new Error('nothing was started');
      const gate = Promise.withResolvers<Discovery>();
      first.discover = () => gate.promise;
      first.changeList();
      const order: string[] = [];
      const reload = fleet.reload(agent, member.serverKey, options()).then(() => order.push('reloaded'));
      await vi.advanceTimersByTimeAsync(100);
      expect([order, first.closes]).toEqual([[], 0]);
      order.push('listed');
      gate.resolve(found);
      await reload;
      expect([order, first.closes, servers.length]).toEqual([['listed', 'reloaded'], 1, 2]);
    });

    it('D1: a start that comes after a stop in the same turn never brings back what is gone', async () => {
      const { fleet, member, servers } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      const [stopped, woken, loaded] = await Promise.allSettled([
        fleet.unload(agent, member.serverKey),
        fleet.wake(agent, member.serverKey, options().signal),
        fleet.load(agent, planned('one'), options()),
      ]);
      expect([stopped.status, woken.status, loaded.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(fleet.server(agent, member.serverKey)).not.toBe(member);
      expect([servers.length, servers[0]?.closes]).toEqual([2, 1]);
      await Promise.all([
        fleet.unload(agent, member.serverKey),
        fleet.load(agent, planned('one'), options()).catch(() => undefined),
        fleet.close(),
      ]);
      expect([fleet.list(agent), servers.map(server => server.closes)]).toEqual([[], [1, 1]]);
    });

    it('starts and stops only after what is done aside', async () => {
      const { fleet, member, servers } = restore('one');
      const gate = Promise.withResolvers<void>();
      const aside = member.aside(live => gate.promise.then(() => live));
      const woken = fleet.wake(agent, member.serverKey, options().signal);
      await vi.advanceTimersByTimeAsync(10);
      expect(servers).toEqual([]);
      gate.resolve();
      expect(await aside).toBeUndefined();
      const connection = await woken;
      expect(await member.aside(live => Promise.resolve(live))).toBe(connection);
    });

    it('is not started again once it was unloaded or the host closes', async () => {
      const { fleet, member, servers } = restore('one');
      await fleet.wake(agent, member.serverKey, options().signal);
      servers[0]?.end('exited');
      await vi.advanceTimersByTimeAsync(500);
      await fleet.unload(agent, member.serverKey);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(servers).toHaveLength(1);
      await fleet.close();
      await expect(fleet.load(agent, planned('two'), options())).rejects.toMatchObject({ code: 'server-closing' });
    });
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionRequest, connectTo } from '../../test/fixtures/connecting.ts';
import {
  type Asked,
  Refusal,
  type ScriptedServer,
  scriptedServer,
  silent,
} from '../../test/fixtures/scripted-server.ts';
import type { Connection } from './connection.ts';
import { openConnection } from './open-connection.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const toolsChanged = { method: 'notifications/tools/list_changed' };
const burst = (): Promise<unknown> => vi.advanceTimersByTimeAsync(300);

function hearing(connection: Connection): { readonly heard: () => number; readonly stop: () => void } {
  const listener = vi.fn<() => void>();
  const stop = connection.onListChanged(listener);
  return { heard: () => listener.mock.calls.length, stop };
}

describe('changes of lists on a server of 2025', () => {
  const legacy = (): ScriptedServer => scriptedServer({ modern: [], capabilities: { tools: { listChanged: true } } });

  it.each(['tools', 'resources', 'prompts'])('R43: tells that %s changed', async list => {
    const server = legacy();
    const { connection } = await connectTo(server);
    const { heard } = hearing(connection);
    server.say({ method: `notifications/${list}/list_changed` });
    await burst();
    expect(heard()).toBe(1);
    await connection.close();
  });

  it('R43: tells a burst of changes once, and is not held up by changes that never stop', async () => {
    const server = legacy();
    const { connection } = await connectTo(server);
    const { heard } = hearing(connection);
    for (let elapsed = 0; elapsed < 3000; elapsed += 10) {
      server.say(toolsChanged);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(heard()).toBeGreaterThanOrEqual(8);
    expect(heard()).toBeLessThanOrEqual(10);
    await connection.close();
  });

  it.each([null, [], 7])('B12: hears a change whose params are %j', async params => {
    const server = legacy();
    const { connection } = await connectTo(server);
    const { heard } = hearing(connection);
    server.say({ ...toolsChanged, params });
    await burst();
    expect(heard()).toBe(1);
    await connection.close();
  });

  it('B13: hears a server that changes nothing for ever more rarely, and a late change all the same', async () => {
    let tools = [{ name: 'a', inputSchema: { type: 'object' } }];
    const server = scriptedServer({
      modern: [],
      capabilities: { tools: { listChanged: true } },
      handlers: {
        'tools/list': () => {
          queueMicrotask(() => server.say(toolsChanged));
          return { tools };
        },
      },
    });
    const { connection } = await connectTo(server);
    const listed: number[] = [];
    const stay = new AbortController().signal;
    connection.onListChanged(() => {
      void connection.discover(stay).then(found => listed.push(found.tools.length));
    });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(listed.length).toBeLessThan(25);
    tools = [...tools, { name: 'b', inputSchema: { type: 'object' } }];
    await vi.advanceTimersByTimeAsync(61_000);
    expect(listed.at(-1)).toBe(2);
    await connection.close();
  });

  it('B13: tells a change at once again after a quiet time', async () => {
    const server = legacy();
    const { connection } = await connectTo(server);
    const stay = new AbortController().signal;
    const { heard } = hearing(connection);
    for (let round = 0; round < 5; round += 1) {
      server.say(toolsChanged);
      await vi.advanceTimersByTimeAsync(60_000);
      await connection.discover(stay);
    }
    await vi.advanceTimersByTimeAsync(180_000);
    server.say(toolsChanged);
    await burst();
    expect(heard()).toBe(6);
    await connection.close();
  });

  it('tells the first listener of a change that came before it', async () => {
    const server = legacy();
    const { connection } = await connectTo(server);
    server.say(toolsChanged);
    await vi.advanceTimersByTimeAsync(5000);
    const first = hearing(connection);
    await burst();
    const second = hearing(connection);
    await burst();
    expect([first.heard(), second.heard()]).toEqual([1, 0]);
    await connection.close();
  });

  it('tells nothing to who stopped listening, nor after the end', async () => {
    const server = legacy();
    const { connection } = await connectTo(server);
    const stopped = hearing(connection);
    const other = hearing(connection);
    stopped.stop();
    server.say(toolsChanged);
    await burst();
    server.say(toolsChanged);
    await connection.close();
    await burst();
    expect([stopped.heard(), other.heard()]).toEqual([0, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R47: never opens a listen stream', async () => {
    const server = legacy();
    const { connection } = await connectTo(server);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.methods()).not.toContain('subscriptions/listen');
    await connection.close();
  });
});

describe('changes of lists on a server of 2026-07-28', () => {
  const listens = (server: ScriptedServer): readonly Asked[] =>
    server.received.filter(asked => asked.method === 'subscriptions/listen');
  const subscription = (asked: Asked | undefined): object => ({
    _meta: { 'io.modelcontextprotocol/subscriptionId': asked?.id },
  });

  /** Acknowledges every listen stream, unless `refuse` throws. */
  function listening(refuse: (attempt: number) => void = () => {}): ScriptedServer {
    let attempt = 0;
    const server = scriptedServer({
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: { listChanged: true } },
      handlers: {
        'resources/list': () => ({ resources: [] }),
        'prompts/list': () => ({ prompts: [] }),
        'subscriptions/listen': (params, asked) => {
          refuse(attempt++);
          server.say({
            method: 'notifications/subscriptions/acknowledged',
            params: { ...subscription(asked), notifications: params.notifications },
          });
          return silent;
        },
      },
    });
    return server;
  }

  it('R43: listens for exactly the lists that can change, and tells what comes', async () => {
    const server = listening();
    const { connection } = await connectTo(server);
    const { heard } = hearing(connection);
    await burst();
    expect(listens(server).map(({ params }) => params.notifications)).toEqual([
      { toolsListChanged: true, promptsListChanged: true },
    ]);
    expect(heard()).toBe(0);
    server.say({ ...toolsChanged, params: subscription(listens(server)[0]) });
    await burst();
    expect(heard()).toBe(1);
    await connection.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('listens again, ever more slowly, where the server ends the stream, and tells that something may have changed', async () => {
    const server = listening();
    const { connection } = await connectTo(server);
    const { heard } = hearing(connection);
    const end = async (): Promise<void> => {
      server.say({ id: listens(server).at(-1)?.id, result: { resultType: 'complete' } });
      await vi.advanceTimersByTimeAsync(0);
    };
    await vi.advanceTimersByTimeAsync(0);
    for (const [round, delay] of [1000, 2000, 4000, 8000, 16_000].entries()) {
      await end();
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(listens(server)).toHaveLength(round + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(listens(server)).toHaveLength(round + 2);
      await burst();
      expect(heard()).toBe(round + 1);
    }
    // A stream that lived a minute was no refusal.
    await vi.advanceTimersByTimeAsync(60_000);
    await end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(listens(server)).toHaveLength(7);
    await connection.close();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(listens(server)).toHaveLength(7);
  });

  it('tries again where the server refuses for now', async () => {
    const server = listening(attempt => {
      if (attempt === 0) throw new Refusal(-32_000, 'too many streams');
    });
    const { connection } = await connectTo(server);
    await vi.advanceTimersByTimeAsync(1000);
    expect(listens(server)).toHaveLength(2);
    expect(connection.diagnostics()).toEqual([]);
    await connection.close();
  });

  it('says so once where the server does not know how to listen, and leaves it alone', async () => {
    const server = listening(() => {
      throw new Refusal(-32_601, 'no such method');
    });
    const { connection } = await connectTo(server);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(listens(server)).toHaveLength(1);
    expect(connection.diagnostics().map(({ code }) => code)).toEqual(['changes-untold']);
    await connection.close();
  });

  it('does not listen to a server whose lists never change', async () => {
    const server = scriptedServer();
    const { connection } = await connectTo(server);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(listens(server)).toEqual([]);
    await connection.close();
  });

  it('R43: listens from before the first listing, so that no change falls between', async () => {
    const server = listening();
    const connection = await openConnection(connectionRequest(() => Promise.resolve(server.opened)));
    await connection.discover(new AbortController().signal);
    const order = server.methods().filter(method => method === 'subscriptions/listen' || method === 'tools/list');
    expect(order).toEqual(['subscriptions/listen', 'tools/list']);
    await connection.discover(new AbortController().signal);
    expect(listens(server)).toHaveLength(1);
    await connection.close();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, connectTo } from '../../test/fixtures/connecting.ts';
import { type Script, type ScriptedServer, scriptedServer, silent } from '../../test/fixtures/scripted-server.ts';
import { defaultDeadlines } from '../core/deadlines.ts';
import type { Connection } from './connection.ts';

const eras: readonly (readonly [string, Script])[] = [
  ['modern', {}],
  ['legacy', { modern: [] }],
];
const hang = (): Promise<void> => new Promise(() => {});
const never = (script: Script): Script => ({ ...script, handlers: { 'tools/call': () => silent } });
const deadlines = { ...defaultDeadlines, close: 1000 };

describe.each(eras)('closing a connection to a %s server', (_era, era) => {
  it('puts the server away once, whoever asks and however often, and tells the end', async () => {
    const server = scriptedServer(era);
    const { connection } = await connectTo(server);
    await Promise.all([connection.close(), connection.close()]);
    await connection.close();
    expect(server.closes).toEqual({ graceful: 1, forced: 0 });
    await expect(connection.ended).resolves.toEqual({ reason: 'The server was closed.' });
    expect(connection.state).toEqual({ name: 'closed', reason: 'The server was closed.' });
  });

  it('R51: cancels the calls under way at the server before its wire is closed; their outcome is unknown', async () => {
    const server = scriptedServer(never(era));
    const { call, connection } = await connectTo(server);
    const order: string[] = [];
    const send = server.wire.send;
    server.wire.send = async (frame, options) => {
      // Notifications take their time, as over HTTP.
      await new Promise(resolve => setTimeout(resolve, 20));
      order.push('method' in frame ? frame.method : 'answer');
      await send(frame, options);
    };
    const closeGracefully = server.opened.closeGracefully.bind(server.opened);
    vi.spyOn(server.opened, 'closeGracefully').mockImplementation(signal => {
      order.push('close');
      return closeGracefully(signal);
    });
    const results = Promise.allSettled([call('a'), call('b')]);
    await vi.waitUntil(() => order.length === 2);
    await connection.close();
    expect(order).toEqual(['tools/call', 'tools/call', 'notifications/cancelled', 'notifications/cancelled', 'close']);
    const unknown = { status: 'rejected', reason: { code: 'unknown-outcome' } };
    expect(await results).toMatchObject([unknown, unknown]);
  });

  it('accepts no call from the moment it begins', async () => {
    const server = scriptedServer(era);
    const { call, connection } = await connectTo(server);
    const closing = connection.close();
    expect(connection.state.name).toBe('closing');
    await expect(call('x')).rejects.toMatchObject({ code: 'connection-lost' });
    await closing;
    expect(server.methods()).not.toContain('tools/call');
  });
});

describe('the budgets of a close', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  async function closing(script: Script): Promise<{
    readonly server: ScriptedServer;
    readonly connection: Connection;
    readonly settled: ReturnType<typeof vi.fn<(outcome: unknown) => void>>;
  }> {
    const server = scriptedServer(script);
    const { connection } = await connectTo(server, { deadlines });
    const settled = vi.fn<(outcome: unknown) => void>();
    connection.close().then(settled, settled);
    await vi.advanceTimersByTimeAsync(0);
    return { server, connection, settled };
  }

  it('R51: the graceful one ends after KESTREL_MCP_CLOSE_TIMEOUT, and the forced one begins', async () => {
    let polite: AbortSignal | undefined;
    const { server, connection, settled } = await closing({
      closeGracefully: signal => {
        polite = signal;
        return hang();
      },
    });
    await vi.advanceTimersByTimeAsync(999);
    expect([server.closes.forced, polite?.aborted]).toEqual([0, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([server.closes.forced, polite?.aborted]).toEqual([1, true]);
    expect(settled).toHaveBeenCalledWith(undefined);
    expect(connection.state.name).toBe('closed');
  });

  it('R52: where everything hangs it rejects after two budgets, not later', async () => {
    const { connection, settled } = await closing({ closeGracefully: hang, closeForcibly: hang });
    await vi.advanceTimersByTimeAsync(1999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ code: 'close-failed' });
    expect(connection.state).toMatchObject({
      name: 'close-failed',
      reason: expect.stringContaining('could not be ended'),
    });
  });

  it('R53: go on to their end although nobody waits any more, and a second close joins the same run', async () => {
    const { server, connection, settled } = await closing({ closeGracefully: hang });
    await vi.advanceTimersByTimeAsync(900);
    const second = vi.fn<(outcome: unknown) => void>();
    connection.close().then(second, second);
    await vi.advanceTimersByTimeAsync(100);
    expect(server.closes).toEqual({ graceful: 1, forced: 1 });
    expect(settled).toHaveBeenCalledWith(undefined);
    expect(second).toHaveBeenCalledWith(undefined);
  });

  it('R54: after a failure the next close begins anew, with both budgets fresh', async () => {
    let tries = 0;
    const { server, connection, settled } = await closing({
      closeGracefully: hang,
      closeForcibly: () => (tries++ === 0 ? Promise.reject(new Error('rm: busy')) : Promise.resolve()),
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(settled.mock.calls[0]?.[0]).toMatchObject({
      code: 'close-failed',
      message: expect.stringContaining('rm: busy'),
    });
    const again = vi.fn<(outcome: unknown) => void>();
    connection.close().then(again, again);
    await vi.advanceTimersByTimeAsync(999);
    expect([connection.state.name, again.mock.calls.length]).toEqual(['closing', 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([connection.state.name, again.mock.calls]).toEqual(['closed', [[undefined]]]);
    expect(server.closes).toEqual({ graceful: 2, forced: 2 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R51: cover a notification that is never sent, without spending the whole budget on it', async () => {
    const server = scriptedServer(never({}));
    const { call, connection } = await connectTo(server, { deadlines });
    const result = call('x');
    await vi.advanceTimersByTimeAsync(0);
    server.wire.send = hang;
    const closed = vi.fn<() => void>();
    const done = connection.close().then(closed);
    await expect(result).rejects.toMatchObject({ code: 'unknown-outcome' });
    await vi.advanceTimersByTimeAsync(500);
    await done;
    expect(server.closes).toEqual({ graceful: 1, forced: 0 });
  });
});

describe.each(eras)('a %s server that goes away by itself', (_era, era) => {
  it('ends the connection at once with the reason, and what is left of it is put away', async () => {
    const server = scriptedServer(era);
    const { connection } = await connectTo(server);
    server.stderr.push('out of memory');
    server.exit({ how: 'exited', code: 137 });
    const reason = 'The server exited with code 137. On stderr it says: out of memory';
    await expect(connection.ended).resolves.toEqual({ reason });
    await connection.close();
    expect(connection.state).toEqual({ name: 'closed', reason });
    expect(server.closes).toEqual({ graceful: 1, forced: 0 });
  });

  it('says no more than that the connection is lost, where its process lives on', async () => {
    const server = scriptedServer(era);
    const { connection } = await connectTo(server);
    await server.wire.close();
    await expect(connection.ended).resolves.toEqual({ reason: 'The connection to the server was lost.' });
    await connection.close();
    expect(server.closes.graceful).toBe(1);
  });

  it('is noticed by its exit, where its wire does not (a container over HTTP)', async () => {
    const server = scriptedServer(never(era));
    const exit = Promise.withResolvers<{ how: 'exited'; code: number }>();
    const { call, connection } = await connect(() => Promise.resolve({ ...server.opened, exited: exit.promise }));
    const result = call('x');
    await vi.waitUntil(() => server.methods().includes('tools/call'));
    exit.resolve({ how: 'exited', code: 2 });
    await expect(result).rejects.toMatchObject({ code: 'unknown-outcome' });
    await expect(connection.ended).resolves.toEqual({ reason: 'The server exited with code 2.' });
    await connection.close();
  });

  it('R54: keeps what could not be put away, for its owner to close again', async () => {
    let tries = 0;
    const server = scriptedServer({
      ...era,
      closeGracefully: () => (tries++ === 0 ? Promise.reject(new Error('busy')) : Promise.resolve()),
      closeForcibly: () => Promise.reject(new Error('still busy')),
    });
    const { connection } = await connectTo(server);
    server.exit({ how: 'exited', code: 1 });
    await connection.ended;
    await vi.waitUntil(() => connection.state.name === 'close-failed');
    await connection.close();
    expect(connection.state).toEqual({ name: 'closed', reason: 'The server exited with code 1.' });
  });
});

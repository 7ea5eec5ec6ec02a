import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointClient } from '../../../test/fixtures/endpoint-client.ts';
import { systemClock } from '../../core/clock.ts';
import { sessionIds } from './session-ids.ts';
import { Sessions } from './sessions.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: {} };

describe('the sessions of 2025 clients over HTTP', () => {
  let closed = 0;
  const open = (): Sessions =>
    new Sessions({
      clock: systemClock,
      ids: sessionIds('key of this test'),
      reply: { silence: 60_000, keepAlive: 60_000 },
      idle: 1_000,
      mostOfOneClient: 3,
      onOpened: () => {},
      onClosed: () => {
        closed += 1;
      },
    });

  beforeEach(() => {
    closed = 0;
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it('are found only by whoever opened them, at the path where they were opened', () => {
    const sessions = open();
    const { id } = sessions.open(endpointClient('one'), hello);
    expect(sessions.find(id, endpointClient('one'))?.id).toBe(id);
    expect(sessions.find(id, endpointClient('two'))).toBeUndefined();
    expect(sessions.find(id, endpointClient('one', 'notes'))).toBeUndefined();
    expect(sessions.find(`${id}x`, endpointClient('one'))).toBeUndefined();
  });

  it('end when nobody uses them, and stay as long as a request runs', async () => {
    const sessions = open();
    const { id: left } = sessions.open(endpointClient('one'), hello);
    const busy = sessions.open(endpointClient('one'), hello);
    const done = Promise.withResolvers<object>();
    const outlet = { send: () => {} };
    const running = busy.session.run(
      { id: 1, meta: {}, outlet, leaving: { gone: new AbortController().signal } },
      async () => {
        await done.promise;
        return {};
      },
    );
    vi.advanceTimersByTime(5_000);
    expect(sessions.find(left, endpointClient('one'))).toBeUndefined();
    expect(sessions.find(busy.id, endpointClient('one'))).toBe(busy);
    done.resolve({});
    await running;
    vi.advanceTimersByTime(5_000);
    expect([sessions.count, closed]).toEqual([0, 2]);
  });

  it('of one client are limited: the one that was idle longest makes room', () => {
    const sessions = open();
    const opened = [1, 2, 3].map(() => {
      vi.advanceTimersByTime(10);
      return sessions.open(endpointClient('one'), hello);
    });
    vi.advanceTimersByTime(10);
    sessions.open(endpointClient('two'), hello);
    expect(sessions.count).toBe(4);
    sessions.open(endpointClient('one'), hello);
    expect(sessions.count).toBe(4);
    expect(sessions.find(opened[0]?.id ?? '', endpointClient('one'))).toBeUndefined();
  });
});

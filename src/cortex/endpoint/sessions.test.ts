import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wholeScope } from '../../core/caller-scope.ts';
import { systemClock } from '../../core/clock.ts';
import type { AgentId } from '../../core/ids.ts';
import type { McpClient } from './mcp-client.ts';
import { Sessions } from './sessions.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: {} };

function client(id: string, server?: string): McpClient {
  const agentId = 'did:example:a' as AgentId;
  return { id, agentId, caller: `client:${id}`, scope: () => wholeScope, server: server as never };
}

describe('the sessions of 2025 clients over HTTP', () => {
  let closed = 0;
  const open = (): Sessions =>
    new Sessions({
      clock: systemClock,
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
    const { id } = sessions.open(client('one'), hello);
    expect(sessions.find(id, client('one'))?.id).toBe(id);
    expect(sessions.find(id, client('two'))).toBeUndefined();
    expect(sessions.find(id, client('one', 'notes'))).toBeUndefined();
    expect(sessions.find(`${id}x`, client('one'))).toBeUndefined();
  });

  it('end when nobody uses them, and stay as long as a request runs', async () => {
    const sessions = open();
    const { id: left } = sessions.open(client('one'), hello);
    const busy = sessions.open(client('one'), hello);
    const done = Promise.withResolvers<object>();
    const outlet = { send: () => {} };
    const running = busy.session.run({ id: 1, meta: {}, outlet, gone: new AbortController().signal }, async () => {
      await done.promise;
      return {};
    });
    vi.advanceTimersByTime(5_000);
    expect(sessions.find(left, client('one'))).toBeUndefined();
    expect(sessions.find(busy.id, client('one'))).toBe(busy);
    done.resolve({});
    await running;
    vi.advanceTimersByTime(5_000);
    expect([sessions.count, closed]).toEqual([0, 2]);
  });

  it('of one client are limited: the one that was idle longest makes room', () => {
    const sessions = open();
    const opened = [1, 2, 3].map(() => {
      vi.advanceTimersByTime(10);
      return sessions.open(client('one'), hello);
    });
    vi.advanceTimersByTime(10);
    sessions.open(client('two'), hello);
    expect(sessions.count).toBe(4);
    sessions.open(client('one'), hello);
    expect(sessions.count).toBe(4);
    expect(sessions.find(opened[0]?.id ?? '', client('one'))).toBeUndefined();
  });
});

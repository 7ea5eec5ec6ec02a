import { describe, expect, it } from 'vitest';
import type { Clock } from '../core/clock.ts';
import type { AgentId, HoldingId, InstanceId, ServerKey } from '../core/ids.ts';
import type { HoldingState, NewHolding } from '../core/ports/ledger.ts';
import { openStore } from './store.ts';

const alice = 'did:web:alice.example' as AgentId;
const bob = 'did:web:bob.example' as AgentId;

function container(agentId: AgentId, serverKey: string): NewHolding {
  return {
    kind: 'container',
    agentId,
    serverKey: serverKey as ServerKey,
    instance: 'i1' as InstanceId,
    marker: 'm1',
    name: 'rax-mcp-time-1',
    image: 'mcp/time:latest',
  };
}

function tickingClock(): Clock {
  let now = 1_000;
  return { now: () => now++, sleep: () => Promise.resolve() };
}

const open = () => openStore({ path: ':memory:', clock: tickingClock() });

describe('the ledger', () => {
  it('R62: begins every holding as an intent, with everything that will prove it ours', async () => {
    await using store = await open();
    const recorded = await store.ledger.record(container(alice, 'time'));
    expect(recorded).toEqual({
      ...container(alice, 'time'),
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      state: 'intent',
      engineId: null,
      engine: null,
      lastError: null,
      createdAt: 1_000,
      updatedAt: 1_000,
    });
    expect(await store.ledger.list()).toEqual([recorded]);
  });

  it('knows on which engine a container is, so that a later run asks the same one', async () => {
    await using store = await open();
    const engine = { program: '/usr/bin/podman', globals: ['--connection', 'vm'], env: { DOCKER_HOST: 'unix:///x' } };
    const recorded = await store.ledger.record({ ...container(alice, 'time'), engine });
    expect(await store.ledger.list()).toEqual([{ ...recorded, engine }]);
  });

  it('changes what is named and nothing else', async () => {
    await using store = await open();
    const first = await store.ledger.record(container(alice, 'time'));
    const second = await store.ledger.record(container(alice, 'fetch'));
    await store.ledger.update(first.id, { state: 'created', engineId: 'abc' });
    await store.ledger.update(first.id, { lastError: 'exit 1' });
    await store.ledger.update(first.id, { name: null });
    expect(await store.ledger.list()).toEqual([
      { ...first, state: 'created', engineId: 'abc', lastError: 'exit 1', name: null, updatedAt: 1_004 },
      second,
    ]);
  });

  it('lists in the order of recording, of one agent or server if asked', async () => {
    await using store = await open();
    const rows = [
      await store.ledger.record(container(alice, 'time')),
      await store.ledger.record(container(bob, 'time')),
      await store.ledger.record(container(alice, 'fetch')),
    ];
    expect(await store.ledger.list()).toEqual(rows);
    expect(await store.ledger.list({ agentId: alice })).toEqual([rows[0], rows[2]]);
    expect(await store.ledger.list({ agentId: alice, serverKey: 'fetch' as ServerKey })).toEqual([rows[2]]);
    expect(await store.ledger.list({ agentId: bob, serverKey: 'fetch' as ServerKey })).toEqual([]);
  });

  it.each<[HoldingState, boolean]>([
    ['closing', true],
    ['failed', true],
    ['intent', false],
    ['created', false],
    ['started', false],
    ['ready', false],
    ['gone', false],
  ])('leaves a failed holding only by way of closing: failed to %s is %s', async (next, allowed) => {
    await using store = await open();
    const { id } = await store.ledger.record(container(alice, 'time'));
    await store.ledger.update(id, { state: 'failed', lastError: 'exit 1' });
    const outcome = await store.ledger.update(id, { state: next }).then(
      () => 'moved',
      (error: { code?: string }) => error.code,
    );
    expect(outcome).toBe(allowed ? 'moved' : 'internal');
    expect((await store.ledger.list())[0]?.state).toBe(allowed ? next : 'failed');
  });

  it('forgets a holding once, and does not pretend to change one that it does not have', async () => {
    await using store = await open();
    const { id } = await store.ledger.record(container(alice, 'time'));
    await store.ledger.forget(id);
    await store.ledger.forget(id);
    expect(await store.ledger.list()).toEqual([]);
    await expect(store.ledger.update('nothing' as HoldingId, { state: 'ready' })).rejects.toMatchObject({
      code: 'internal',
    });
  });
});

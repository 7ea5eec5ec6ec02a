import { describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { newAgentId } from './agents.ts';
import { openStore } from './store.ts';

describe('the agents of a home', () => {
  it('are listed in the order in which they came, each under a name of its own', async () => {
    await using store = await openStore({ path: ':memory:', clock: systemClock });
    const first = await store.agents.add({ agentId: newAgentId(), name: 'work' });
    const second = await store.agents.add({ agentId: newAgentId(), name: 'play' });
    expect((await store.agents.list()).map(({ name }) => name).sort()).toEqual(['play', 'work']);
    expect(first.agentId).not.toBe(second.agentId);
    await expect(store.agents.add({ agentId: newAgentId(), name: 'work' })).rejects.toMatchObject({
      code: 'name-in-use',
    });
    expect(await store.agents.list()).toHaveLength(2);
  });
});

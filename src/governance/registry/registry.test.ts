import { describe, expect, it } from 'vitest';
import { agentId, type Epoch, serverKey } from '../../core/ids.ts';
import type { Definition, Handle, WithdrawReason } from '../../core/words.ts';
import { discoveredHandles } from './discovered-handles.ts';
import { createRegistry, type Registry } from './registry.ts';

const alice = agentId('did:test:alice');
const bob = agentId('did:test:bob');
const files = serverKey('files');
const time = serverKey('time');

function tool(name: string, description = name): Definition {
  return { name, description, inputSchema: { type: 'object' } };
}

function handles(tools: readonly Definition[], epoch: string | null, ownerKey = files, agent = alice) {
  return discoveredHandles({
    agentId: agent,
    serverKey: ownerKey,
    epoch: epoch as Epoch | null,
    protocolVersion: '2026-07-28',
    tools,
    resources: [],
    templates: [],
    prompts: [],
  }).handles;
}

function names(list: readonly Handle[]): string[] {
  return list.map(handle => handle.handleName);
}

function withdrawals(registry: Registry): { readonly names: string[]; readonly reason: WithdrawReason }[] {
  const seen: { names: string[]; reason: WithdrawReason }[] = [];
  registry.onWithdrawn((gone, reason) => seen.push({ names: names(gone), reason }));
  return seen;
}

describe('registry', () => {
  it('R37: replaces all handles of an owner at once and passes definitions on verbatim', () => {
    const registry = createRegistry({ now: () => 0 });
    const odd = { ...tool('read'), 'x-unknown': { deep: [1, 2] } };
    registry.replaceOwner(alice, files, handles([odd, tool('write')], 'e1'), 'load');
    expect(names(registry.list(alice))).toEqual(['files__read', 'files__write']);
    expect(registry.lookup(alice, 'files__read')?.definition).toBe(odd);
    registry.replaceOwner(alice, files, [], 'unload');
    expect(registry.list(alice)).toEqual([]);
    expect(registry.lookup(alice, 'files__read')).toBeUndefined();
  });

  it.each(['connection-lost', 'reload', 'list-changed'] as const)(
    'Q15: a server that loses all handles by %s comes back in its old place, and after an unload in the last',
    reason => {
      const registry = createRegistry({ now: () => 0 });
      registry.replaceOwner(alice, time, handles([tool('now')], 'e1', time), 'load');
      registry.replaceOwner(alice, files, handles([tool('read')], 'e2'), 'load');
      registry.replaceOwner(alice, time, [], reason);
      expect(names(registry.list(alice))).toEqual(['files__read']);
      registry.replaceOwner(alice, time, handles([tool('now')], 'e3', time), 'load');
      expect(names(registry.list(alice))).toEqual(['time__now', 'files__read']);
      registry.replaceOwner(alice, time, [], 'unload');
      registry.replaceOwner(alice, time, handles([tool('now')], 'e4', time), 'load');
      expect(names(registry.list(alice))).toEqual(['files__read', 'time__now']);
    },
  );

  it('R40: a handle from before a reload is not live, though the name is', () => {
    const registry = createRegistry({ now: () => 0 });
    const seen = withdrawals(registry);
    registry.replaceOwner(alice, files, handles([tool('read')], 'e1'), 'load');
    const [before] = registry.list(alice);
    const { mounted } = registry.replaceOwner(alice, files, handles([tool('read')], 'e2'), 'reload');
    expect(before && registry.isLive(before)).toBe(false);
    expect(before && registry.successor(before)).toBeUndefined();
    expect(registry.lookup(alice, 'files__read')).toBe(mounted[0]);
    expect(seen).toEqual([{ names: ['files__read'], reason: 'reload' }]);
  });

  it('R43: a list change keeps the very objects of unchanged tools and withdraws changed and removed ones', () => {
    const registry = createRegistry({ now: () => 0 });
    const seen = withdrawals(registry);
    registry.replaceOwner(alice, files, handles([tool('same'), tool('changed'), tool('removed')], 'e1'), 'load');
    const same = registry.lookup(alice, 'files__same');
    const { mounted } = registry.replaceOwner(
      alice,
      files,
      handles([tool('same'), tool('changed', 'new words'), tool('added')], 'e1'),
      'list-changed',
    );
    expect(registry.lookup(alice, 'files__same')).toBe(same);
    expect(names(mounted)).toEqual(['files__changed', 'files__added']);
    expect(seen).toEqual([{ names: ['files__changed', 'files__removed'], reason: 'list-changed' }]);
  });

  it('sleep and wake carry an unchanged handle over and withdraw one whose definition changed', () => {
    const registry = createRegistry({ now: () => 0 });
    const seen = withdrawals(registry);
    registry.replaceOwner(alice, files, handles([tool('same'), tool('changed')], 'e1'), 'load');
    const awake = registry.list(alice);
    registry.replaceOwner(alice, files, handles([tool('same'), tool('changed')], null), 'sleep');
    expect(seen).toEqual([]);
    expect(registry.lookup(alice, 'files__same')?.epoch).toBeNull();
    registry.replaceOwner(alice, files, handles([tool('same'), tool('changed', 'other')], 'e2'), 'wake');
    expect(seen).toEqual([{ names: ['files__changed'], reason: 'list-changed' }]);
    const [same, changed] = awake;
    expect(same && registry.successor(same)?.epoch).toBe('e2');
    expect(changed && registry.successor(changed)).toBeUndefined();
  });

  it('R41: a crash withdraws, even where a dormant handle takes the place', () => {
    const registry = createRegistry({ now: () => 0 });
    const seen = withdrawals(registry);
    registry.replaceOwner(alice, files, handles([tool('read')], 'e1'), 'load');
    const [before] = registry.list(alice);
    registry.replaceOwner(alice, files, handles([tool('read')], null), 'connection-lost');
    expect(seen).toEqual([{ names: ['files__read'], reason: 'connection-lost' }]);
    expect(before && registry.successor(before)).toBeUndefined();
  });

  it('keeps agents apart: the same server key and tool twice, one unloaded', () => {
    const registry = createRegistry({ now: () => 0 });
    registry.replaceOwner(alice, files, handles([tool('read')], 'e1'), 'load');
    registry.replaceOwner(bob, files, handles([tool('read')], 'e2', files, bob), 'load');
    registry.replaceOwner(alice, files, [], 'unload');
    expect(registry.lookup(alice, 'files__read')).toBeUndefined();
    expect(registry.lookup(bob, 'files__read')?.agentId).toBe(bob);
  });

  it('refuses handles of another agent or owner, and names that another owner has', () => {
    const registry = createRegistry({ now: () => 0 });
    const foreign = handles([tool('read')], 'e1', files, bob);
    expect(registry.replaceOwner(alice, files, foreign, 'load')).toMatchObject({ mounted: [], refused: foreign });
    const [mine] = handles([tool('read')], 'e1');
    const lookalike = { ...mine, ownerKey: time } as Handle;
    registry.replaceOwner(alice, files, mine ? [mine] : [], 'load');
    expect(registry.replaceOwner(alice, time, [lookalike], 'load').refused).toEqual([lookalike]);
    expect(registry.lookup(alice, 'files__read')).toBe(mine);
  });

  it('counts a hold once however often it is disposed', () => {
    const registry = createRegistry({ now: () => 5 });
    const first = registry.hold(alice, files);
    const second = registry.hold(alice, files);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(registry.holds.busy(alice, files)).toBe(true);
    second[Symbol.dispose]();
    expect(registry.holds.busy(alice, files)).toBe(false);
    expect(registry.holds.idleSince(alice, files)).toBe(5);
  });
});

import { describe, expect, it } from 'vitest';
import { agentId, type Epoch, serverKey } from '../../core/ids.ts';
import type { Discovered } from '../../core/ports/mount.ts';
import { createRegistry } from './registry.ts';
import { registryMount } from './registry-mount.ts';

const alice = agentId('did:test:alice');

function offer(key: string, tool: string): Discovered {
  return {
    agentId: alice,
    serverKey: serverKey(key),
    epoch: `epoch of ${key}` as Epoch,
    protocolVersion: '2026-07-28',
    tools: [{ name: tool, inputSchema: { type: 'object' } }],
    resources: [],
    templates: [],
    prompts: [],
  };
}

describe('mounting into the registry', () => {
  it('R37, R41: what was discovered becomes handles, and withdrawing says how many there were', () => {
    const registry = createRegistry({ now: () => 0 });
    const mount = registryMount(registry);
    mount.mount(offer('files', 'read'), 'load');
    expect(registry.lookup(alice, 'files__read')?.epoch).toBe('epoch of files');
    expect(mount.withdraw(alice, serverKey('files'), 'unload')).toBe(1);
    expect(mount.withdraw(alice, serverKey('files'), 'unload')).toBe(0);
  });

  it('tells what was not mounted', () => {
    const registry = createRegistry({ now: () => 0 });
    const mount = registryMount(registry);
    expect(mount.mount(offer('files', 'read'), 'load')).toEqual([]);
    expect(
      mount.mount({ ...offer('time', 'now'), tools: [], resources: [{ name: '', uri: '' }] }, 'list-changed'),
    ).toMatchObject([{ code: 'unusable-definition' }]);
    expect(registry.list(alice).map(handle => handle.handleName)).toEqual(['files__read']);
  });
});

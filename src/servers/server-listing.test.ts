import { expect, it } from 'vitest';
import { alice, tool } from '../../test/fixtures/saved-world.ts';
import type { ServerKey } from '../core/ids.ts';
import { createRegistry } from '../governance/registry/registry.ts';
import { registryMount } from '../governance/registry/registry-mount.ts';
import { plan } from './plan.ts';
import { programOf } from './program-of.ts';
import { ServerListing } from './server-listing.ts';

it.each([
  [{}, ['notes__add', 'notes__burn', 'notes__read']],
  [{ allowedTools: ['read', 'gone'] }, ['notes__read']],
  [{ allowedTools: [] }, []],
  [{ deniedTools: ['burn'] }, ['notes__add', 'notes__read']],
  [{ allowedTools: ['read', 'burn'], deniedTools: ['burn'] }, ['notes__read']],
])('mounts the tools that its config lets be used, and remembers all: %j', (limits, mounted) => {
  const program = programOf(plan({ name: 'notes', command: 'x' }));
  const registry = createRegistry({ now: () => 0 });
  const owner = { agentId: alice, serverKey: 'notes' as ServerKey, names: undefined, program, ...limits };
  const listing = new ServerListing(registryMount(registry), () => owner);
  const tools = ['add', 'burn', 'read'].map(name => tool(name));
  listing.offerDormant('2025-11-25', 'load', { tools, resources: [], templates: [], prompts: [], diagnostics: [] });
  expect(registry.list(alice).map(({ handleName }) => handleName)).toEqual(mounted);
  expect(listing.discovery?.tools).toEqual(tools);
});

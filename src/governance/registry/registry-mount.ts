import type { Mount } from '../../core/ports/mount.ts';
import { discoveredHandles } from './discovered-handles.ts';
import type { Registry } from './registry.ts';

/** The registry as the connections see it: discovered definitions go in, and come out only as handles. */
export function registryMount(registry: Registry): Mount {
  return {
    mount(discovered, reason) {
      const { agentId, serverKey } = discovered;
      const { handles, diagnostics } = discoveredHandles(discovered);
      const { refused } = registry.replaceOwner(agentId, serverKey, handles, reason);
      return [
        ...diagnostics,
        ...refused.map(handle => ({
          code: 'handle-name-clash',
          message: `${handle.handleName} is not mounted: another server of this agent has that name.`,
        })),
      ];
    },
    withdraw: (agentId, serverKey, reason) => registry.replaceOwner(agentId, serverKey, [], reason).withdrawn.length,
  };
}

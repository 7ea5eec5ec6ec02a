import type { AgentId, ServerKey } from '../../core/ids.ts';

/** Which servers are in use, and when each was last: what eviction and sleeping go by (B3). */
export interface Holds {
  /** Marks the server as used now. */
  touch(agentId: AgentId, ownerKey: ServerKey): void;
  /** The same, and as busy until disposed (once; disposing again does nothing). */
  hold(agentId: AgentId, ownerKey: ServerKey): Disposable;
  /** True while a call of this server waits or runs. */
  busy(agentId: AgentId, ownerKey: ServerKey): boolean;
  /** A number that grows with each use of any server; 0 if never used. Not a time: two uses are never equal. */
  lastUsed(agentId: AgentId, ownerKey: ServerKey): number;
  /** When it was last used or released, milliseconds since 1970; `undefined` if never. */
  idleSince(agentId: AgentId, ownerKey: ServerKey): number | undefined;
}

interface Use {
  order: number;
  at: number;
  open: number;
}

/** Holds of all agents' servers. */
export function ownerHolds(now: () => number): Holds {
  const uses = new Map<string, Use>();
  let order = 0;

  function touched(agentId: AgentId, ownerKey: ServerKey): Use {
    const key = `${agentId}\0${ownerKey}`;
    const use = uses.get(key) ?? { order: 0, at: 0, open: 0 };
    order += 1;
    use.order = order;
    use.at = now();
    uses.set(key, use);
    return use;
  }

  return {
    touch: (agentId, ownerKey) => void touched(agentId, ownerKey),
    hold(agentId, ownerKey) {
      const use = touched(agentId, ownerKey);
      use.open += 1;
      let released = false;
      return {
        [Symbol.dispose]() {
          if (released) return;
          released = true;
          use.open -= 1;
          use.at = now();
        },
      };
    },
    busy: (agentId, ownerKey) => (uses.get(`${agentId}\0${ownerKey}`)?.open ?? 0) > 0,
    lastUsed: (agentId, ownerKey) => uses.get(`${agentId}\0${ownerKey}`)?.order ?? 0,
    idleSince: (agentId, ownerKey) => uses.get(`${agentId}\0${ownerKey}`)?.at,
  };
}

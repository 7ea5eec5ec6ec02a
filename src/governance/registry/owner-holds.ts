import type { AgentId, ServerKey } from '../../core/ids.ts';

/** Which servers are in use, and when each was last: idle servers sleep by it. */
export interface Holds {
  /** Marks the server as used now. */
  touch(agentId: AgentId, ownerKey: ServerKey): void;
  /** The same, and as busy until disposed (once; disposing again does nothing). */
  hold(agentId: AgentId, ownerKey: ServerKey): Disposable;
  /** True while a call of this server waits or runs. */
  busy(agentId: AgentId, ownerKey: ServerKey): boolean;
  /** When it was last used or released, milliseconds since 1970; `undefined` if never. */
  idleSince(agentId: AgentId, ownerKey: ServerKey): number | undefined;
}

interface Use {
  at: number;
  open: number;
}

/** Holds of all agents' servers. */
export function ownerHolds(now: () => number): Holds {
  const uses = new Map<string, Use>();

  function touched(agentId: AgentId, ownerKey: ServerKey): Use {
    const key = `${agentId}\0${ownerKey}`;
    const use = uses.get(key) ?? { at: 0, open: 0 };
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
    idleSince: (agentId, ownerKey) => uses.get(`${agentId}\0${ownerKey}`)?.at,
  };
}

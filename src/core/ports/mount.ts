import type { AgentId, Digest, Epoch, ServerKey } from '../ids.ts';
import type { Definition, Diagnostic, Program, SelfDescription, WithdrawReason } from '../words.ts';

/** What a connection found, on its way to becoming handles. */
export interface Discovered {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  /** `null` for what a sleeping server offered when it was last seen. */
  readonly epoch: Epoch | null;
  readonly protocolVersion: string;
  /** Whether the server's own name stands before what it offers; `prefixed` if not said. */
  readonly names?: 'plain' | 'prefixed' | undefined;
  /** What the server is started from; absent for what is our own. */
  readonly program?: Program | undefined;
  readonly tools: readonly Definition[];
  readonly resources: readonly Definition[];
  readonly templates: readonly Definition[];
  readonly prompts: readonly Definition[];
  readonly said?: SelfDescription;
  /** Of definitions that were digested before, so that a start need not do it again. */
  readonly digests?: ReadonlyMap<Definition, Digest>;
}

/** Why a server's handles are mounted: its first list, going to sleep, its list after a sleep, or a change of it. */
export type MountReason = 'load' | 'sleep' | 'wake' | 'list-changed';

/** Registers a server's discovered tools, resources and prompts as handles, and unregisters them. */
export interface Mount {
  /**
   * Replaces all handles of that server in one step; unchanged definitions of the same epoch keep theirs (R37, R43).
   * Returns what could not be mounted: `handle-name-clash`, `unusable-definition`.
   */
  mount(discovered: Discovered, reason: MountReason): readonly Diagnostic[];
  /** Withdraws all handles of that server and returns how many there were (R41). */
  withdraw(agentId: AgentId, serverKey: ServerKey, reason: WithdrawReason): number;
}

import type { AgentId, ServerKey } from '../core/ids.ts';
import type { ServerHealth } from '../core/server-health.ts';
import type { Caller } from '../core/words.ts';
import type { ApprovalEvent } from '../governance/approvals/questions.ts';
import { Emitter } from '../lib/emitter.ts';

/** Something that changed in a host, for edges that show it. */
export type HostEvent =
  | { readonly type: 'approval'; readonly event: ApprovalEvent }
  /** A server is in another state, or in another phase of starting. */
  | {
      readonly type: 'server-state';
      readonly agentId: AgentId;
      readonly server: ServerKey;
      readonly health: ServerHealth;
    }
  | { readonly type: 'tools'; readonly agentId: AgentId; readonly server: ServerKey }
  /** Saved, changed, enabled, disabled or removed. */
  | { readonly type: 'servers'; readonly agentId: AgentId }
  | { readonly type: 'rules' }
  /** A catalog is being read: what is going on, for a person. */
  | { readonly type: 'catalog'; readonly catalog: string; readonly line: string }
  /** A client got a token, lost it, or has another scope now: `callers` and their `scopeOf` say which. */
  | { readonly type: 'callers'; readonly agentId: AgentId; readonly caller: Caller };

/** Where events are told, and heard in the same tick. */
export interface HostEvents {
  /** The event is made only if somebody listens. */
  tell(event: () => HostEvent): void;
  on(listener: (event: HostEvent) => void): () => void;
}

export function createHostEvents(): HostEvents {
  const emitter = new Emitter<[HostEvent]>();
  return {
    tell(event) {
      if (!emitter.isEmpty) emitter.emit(event());
    },
    on: listener => emitter.on(listener),
  };
}

import type { AgentId, ApprovalId, Digest, DispatchId, Epoch } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Caller, Handle, WithdrawReason } from '../../core/words.ts';
import type { Difference } from '../registry/definition-difference.ts';

/** How far an approval reaches: this one call; this caller and tool until the service stops or the tool is withdrawn; for good. */
export type Scope = 'once' | 'session' | 'always';

/** Where a question stands. From `pending` and `awaiter-gone` on it may end; an end is final. */
export type ApprovalState =
  | { readonly name: 'pending' }
  /** The caller gave up waiting; approving gives a grant that its next identical call claims. */
  | { readonly name: 'awaiter-gone' }
  | { readonly name: 'approved'; readonly scope: Scope; readonly by: string }
  | { readonly name: 'rejected'; readonly reason: string; readonly by: string }
  | { readonly name: 'expired' }
  | { readonly name: 'cancelled'; readonly reason: string }
  /** The handle was withdrawn or its server went to sleep; wins over any later decision. */
  | { readonly name: 'invalidated'; readonly reason: WithdrawReason | 'sleep' };

/** A handle whose server is awake: only those are asked about, so that an approval has a connection to be bound to. */
export type AwakeHandle = Handle & { readonly epoch: Epoch };

/** One question to the operator: bound to caller, handle, epoch, definition and the exact arguments. */
export interface Approval {
  readonly id: ApprovalId;
  readonly dispatchId: DispatchId;
  readonly agentId: AgentId;
  readonly caller: Caller;
  readonly handle: AwakeHandle;
  /** The arguments as JSON text: known secrets by their names, what looks like one folded, cut at 64 KiB. */
  readonly args: string;
  /** What the client sends beside them in `_meta`, as JSON text like the arguments; absent if nothing. */
  readonly meta?: string;
  /** How much of both is not in those texts: folded places, and characters at the end. */
  readonly unseen: { readonly folded: number; readonly cut: number };
  /** True once the operator has opened all of it; before that what is unseen cannot be allowed for good. */
  readonly isOpened: boolean;
  readonly argsDigest: Digest;
  /** Why it is asked: the deciding rule in words. */
  readonly because: string;
  /** What of the arguments does not fit the tool's own schema; the server decides about it. */
  readonly misfits?: readonly string[];
  /** What changed in the definition since it was allowed; absent if nothing was. */
  readonly changed?: readonly Difference[];
  /** What an approval may reach; under always-ask only this call. */
  readonly scopes: readonly Scope[];
  readonly state: ApprovalState;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What the operator says. */
export type Verdict =
  | { readonly approve: true; readonly scope?: Scope }
  | { readonly approve: false; readonly reason?: string };

/** A call that needs a decision. */
export interface Question {
  readonly dispatchId: DispatchId;
  readonly caller: Caller;
  readonly handle: AwakeHandle;
  /** The final arguments: nothing else is sent under the approval. */
  readonly args: JsonObject;
  readonly argsDigest: Digest;
  /** What goes to the server in `_meta`: an approval is for a call with the very same. */
  readonly meta?: JsonObject;
  readonly metaDigest?: Digest;
  /** What of the arguments does not fit the tool's own schema. */
  readonly misfits?: readonly string[];
}

/** True while a part of the arguments was shown to nobody. */
export function isUnseen({ unseen, isOpened }: Pick<Approval, 'unseen' | 'isOpened'>): boolean {
  return !isOpened && (unseen.folded > 0 || unseen.cut > 0);
}

/** True while a decision is possible. */
export function isOpen({ state }: Pick<Approval, 'state'>): boolean {
  return state.name === 'pending' || state.name === 'awaiter-gone';
}

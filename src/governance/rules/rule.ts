import type { AgentId, Digest, HandleName, RuleId, ServerKey } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Caller, HandleKind, Program } from '../../core/words.ts';

/** What an "always allow" was said about; with another definition the rule is inert (R42). */
export interface Pin {
  readonly ownerKey: ServerKey;
  readonly handleName: HandleName;
  readonly kind: HandleKind;
  /** Whom it was said to; `null`: to every caller. */
  readonly caller: Caller | null;
  readonly definitionDigest: Digest;
  /** The judged part of the definition at that time, to show what changed since. */
  readonly definition: JsonObject;
  /** What its server was started from at that time; with another program the rule is inert too. */
  readonly program: Program | null;
}

/** One standing decision. */
export interface Rule {
  readonly id: RuleId;
  /** `null`: for every agent of this home. */
  readonly agentId: AgentId | null;
  /** A text that is no level (a newer version's, a damaged one) closes the door. */
  readonly level: string;
  readonly pattern: string;
  readonly pin: Pin | null;
  /** `session`: until the service stops or the handle is withdrawn. */
  readonly lifetime: 'persistent' | 'session';
  /** Who made it: the operator, an approval of the operator's, or the program that opened the host. */
  readonly source: 'operator' | 'approval' | 'host';
  readonly reason: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

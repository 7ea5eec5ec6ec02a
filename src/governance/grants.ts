import type { ApprovalId, Digest } from '../core/ids.ts';
import type { Caller, Handle } from '../core/words.ts';

/** Leave for one call: of this caller, on this very handle, with these arguments. */
export interface Grant {
  readonly approvalId: ApprovalId;
  /** True once in its life, and only before it expires; from then on the grant is worth nothing. */
  claim(): boolean;
  /** Gives it back unused: the next identical call may claim it. */
  release(): void;
}

/** What a grant is for. */
export interface GrantFor {
  readonly approvalId: ApprovalId;
  readonly caller: Caller;
  readonly handle: Handle;
  readonly argsDigest: Digest;
}

/** The grants that no call has claimed yet. */
export interface Grants {
  /** Reserved for the call that waits for it, or free for the next identical one. */
  give(what: GrantFor, reserved: boolean): Grant;
  /** A free grant for exactly this call, reserved for it from now on. */
  take(what: Omit<GrantFor, 'approvalId'>): Grant | undefined;
}

interface Entry extends GrantFor {
  readonly expiresAt: number;
  state: 'reserved' | 'free' | 'spent';
}

/** Grants that live for that many milliseconds. */
export function createGrants(options: { readonly now: () => number; readonly lifetime: number }): Grants {
  const { now, lifetime } = options;
  const open = new Map<ApprovalId, Entry>();

  function grantOf(entry: Entry): Grant {
    return {
      approvalId: entry.approvalId,
      claim() {
        const valid = entry.state !== 'spent' && now() <= entry.expiresAt;
        entry.state = 'spent';
        open.delete(entry.approvalId);
        return valid;
      },
      release() {
        if (entry.state === 'reserved') entry.state = 'free';
      },
    };
  }

  return {
    give(what, reserved) {
      const entry: Entry = { ...what, expiresAt: now() + lifetime, state: reserved ? 'reserved' : 'free' };
      open.set(what.approvalId, entry);
      return grantOf(entry);
    },
    take({ caller, handle, argsDigest }) {
      for (const [id, entry] of open) {
        if (now() > entry.expiresAt) {
          open.delete(id);
          continue;
        }
        const same = entry.caller === caller && entry.handle === handle && entry.argsDigest === argsDigest;
        if (!same || entry.state !== 'free') continue;
        entry.state = 'reserved';
        return grantOf(entry);
      }
      return undefined;
    },
  };
}

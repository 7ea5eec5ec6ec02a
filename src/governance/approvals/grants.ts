import type { Clock } from '../../core/clock.ts';
import type { ApprovalId, Digest } from '../../core/ids.ts';
import type { Caller, Handle } from '../../core/words.ts';

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
  readonly metaDigest?: Digest | undefined;
}

/** The grants that no call has claimed yet. */
export interface Grants {
  /** Reserved for the call that waits for it, or free for the next identical one. */
  give(what: GrantFor, reserved: boolean): Grant;
  /** A free grant for exactly this call, reserved for it from now on. */
  take(what: Omit<GrantFor, 'approvalId'>): Grant | undefined;
  /** Grants for other handles are worth nothing any more (R42). */
  keepOnly(isKept: (handle: Handle) => boolean): void;
}

interface Entry extends GrantFor {
  state: 'reserved' | 'free' | 'spent';
  readonly expiry: AbortController;
  /** Keeps the server awake and mounted until the grant is claimed: it is for this connection only. */
  readonly hold: Disposable;
}

function isSame(a: Omit<GrantFor, 'approvalId'>, b: Omit<GrantFor, 'approvalId'>): boolean {
  const isSameCall = a.argsDigest === b.argsDigest && a.metaDigest === b.metaDigest;
  return a.caller === b.caller && a.handle === b.handle && isSameCall;
}

/** Grants that live for that many milliseconds and hold their server meanwhile. */
export function createGrants(options: {
  readonly clock: Clock;
  readonly lifetime: number;
  readonly hold: (handle: Handle) => Disposable;
}): Grants {
  const open = new Set<Entry>();

  function spend(entry: Entry): void {
    entry.state = 'spent';
    entry.expiry.abort();
    entry.hold[Symbol.dispose]();
    open.delete(entry);
  }

  async function expire(entry: Entry): Promise<void> {
    try {
      await options.clock.sleep(options.lifetime, entry.expiry.signal);
    } catch {
      return;
    }
    spend(entry);
  }

  function grantOf(entry: Entry): Grant {
    return {
      approvalId: entry.approvalId,
      claim() {
        if (entry.state === 'spent') return false;
        spend(entry);
        return true;
      },
      release() {
        if (entry.state === 'reserved') entry.state = 'free';
      },
    };
  }

  return {
    give(what, reserved) {
      const hold = options.hold(what.handle);
      const entry: Entry = { ...what, state: reserved ? 'reserved' : 'free', expiry: new AbortController(), hold };
      open.add(entry);
      void expire(entry);
      return grantOf(entry);
    },
    take(what) {
      for (const entry of open) {
        if (!isSame(entry, what) || entry.state !== 'free') continue;
        entry.state = 'reserved';
        return grantOf(entry);
      }
      return undefined;
    },
    keepOnly(isKept) {
      for (const entry of open) if (!isKept(entry.handle)) spend(entry);
    },
  };
}

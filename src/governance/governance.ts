import type { Mint } from '../core/authorisation.ts';
import type { RandomId } from '../core/ids.ts';
import { createDispatch, type Dispatch, type Fleet } from './dispatcher.ts';
import type { Registry } from './registry.ts';

/** What host.ts hands in. The registry comes first of all: the fleet mounts into it, and dispatch calls through the fleet. */
export interface GovernanceNeeds {
  readonly registry: Registry;
  readonly fleet: Fleet;
  readonly mint: Mint;
  readonly randomId: RandomId;
}

/** Everything that governs calls, for host.ts to wrap. */
export interface Governance {
  readonly dispatch: Dispatch;
}

/** Composes what a call passes on its way to a server. */
export function createGovernance(needs: GovernanceNeeds): Governance {
  return { dispatch: createDispatch(needs) };
}

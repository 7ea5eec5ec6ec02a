import type { KeyObject } from 'node:crypto';
import type { Mint } from '../core/authorisation.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomId } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import type { Level } from '../core/words.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { StoredApprovals } from '../store/approvals.ts';
import type { AuditRows } from '../store/audit.ts';
import type { CheckpointFile } from '../store/checkpoint-file.ts';
import type { StoredRules } from '../store/rules.ts';
import { type Approvals, openApprovals } from './approvals/approvals.ts';
import { type OperatorDesk, operatorDesk } from './approvals/operator-proof.ts';
import { type Audit, openAudit } from './audit/audit.ts';
import { argumentGuard } from './dispatch/argument-guard.ts';
import type { Dispatch } from './dispatch/call.ts';
import { createDispatch } from './dispatch/dispatcher.ts';
import { outputCheck } from './dispatch/output-check.ts';
import { type GovernedSubscriptions, governedSubscriptions, type SubscribingFleet } from './dispatch/subscriptions.ts';
import type { Registry } from './registry/registry.ts';
import { type NewRule, openRules, type Rules } from './rules/rules.ts';

/**
 * What host.ts hands in. Registry and redactor come first of all: the fleet mounts into the one and teaches the other
 * the secrets of its servers, and dispatch calls through the fleet.
 */
export interface GovernanceDeps {
  readonly registry: Registry;
  readonly redactor: Redactor;
  readonly fleet: SubscribingFleet;
  readonly mint: Mint;
  /** The tables; an open Store has them. */
  readonly store: { readonly rules: StoredRules; readonly approvals: StoredApprovals; readonly audit: AuditRows };
  readonly clock: Clock;
  readonly randomId: RandomId;
  readonly log: Log;
  /** Where the audit's signed checkpoint is kept, and the home's Ed25519 key; none for a host without a home. */
  readonly checkpoint?: { readonly file: CheckpointFile; readonly key: KeyObject };
  /** Rules of the embedding program, for every agent as long as the host is open. */
  readonly rules?: readonly Omit<NewRule, 'agentId'>[];
  /** The level where no rule speaks: `ask` if not said; `allow` where the operator is there itself, or another host asks. */
  readonly otherwise?: Level;
  /** Milliseconds that a question stays open, and that a grant waits to be claimed. */
  readonly questionLifetime?: number;
  readonly grantLifetime?: number;
}

/** Everything that governs calls, for host.ts to wrap. Disposed after the fleet and before the store. */
export interface Governance extends AsyncDisposable {
  readonly dispatch: Dispatch;
  readonly subscriptions: GovernedSubscriptions;
  readonly rules: Rules;
  readonly approvals: Approvals;
  readonly audit: Audit;
  /** Gives out the operator's proofs: for the host alone, to hand to edges at which the operator has shown itself. */
  readonly desk: OperatorDesk;
  /** Begins no more calls and ends all open questions; the first step of closing a host. */
  stop(): void;
}

const hour = 60 * 60 * 1000;

/** Opens the record, the rules and the book of questions, and dispatch over them. Rejects as each of them does. */
export async function openGovernance(needs: GovernanceDeps): Promise<Governance> {
  const { registry, redactor, fleet, mint, store, clock, randomId, log, checkpoint } = needs;
  await using opening = new AsyncDisposableStack();
  const desk = operatorDesk();
  const base = { clock, log, redactor, randomId, registry, desk };
  const audit = opening.use(await openAudit({ ...base, rows: store.audit, ...(checkpoint ? { checkpoint } : {}) }));
  const { rules: hostRules = [], otherwise = 'ask' } = needs;
  const rules = await openRules({ ...base, audit, stored: store.rules, hostRules, otherwise });
  const { questionLifetime = hour, grantLifetime = hour / 6 } = needs;
  const approvals = await openApprovals({
    ...base,
    audit,
    rules,
    stored: store.approvals,
    questionLifetime,
    grantLifetime,
  });
  let stopped = false;
  const dispatching = {
    ...base,
    fleet,
    mint,
    rules,
    approvals,
    audit,
    guard: argumentGuard(),
    output: outputCheck(),
    isOpen: () => !stopped,
  };
  const dispatch = createDispatch(dispatching);
  const subscriptions = governedSubscriptions(dispatching);
  const held = opening.move();
  function stop(): void {
    stopped = true;
    approvals.close();
  }
  return {
    dispatch,
    subscriptions,
    rules,
    approvals,
    audit,
    desk,
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      await held.disposeAsync();
    },
  };
}

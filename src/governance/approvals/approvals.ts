import { LongshoreError } from '../../core/errors.ts';
import type { AgentId, ApprovalId } from '../../core/ids.ts';
import type { StoredApproval } from '../../store/approvals.ts';
import { type Approval, isOpen, isUnseen, type Question, type Scope, type Verdict } from './approval.ts';
import { endOf, scopesFor, tooLate } from './approval-record.ts';
import { createGrants, type Grant } from './grants.ts';
import type { OperatorDesk, OperatorProof } from './operator-proof.ts';
import { type ApprovalEvent, type ApprovalQuestionsDeps, type Asked, Questions } from './questions.ts';

/** The questions to the operator, and the answers. */
export interface Approvals {
  /** An agent's open questions, oldest first. */
  open(agentId: AgentId): readonly Approval[];
  /** An open question, or one that ended lately while this host was open. */
  get(agentId: AgentId, id: ApprovalId): Approval | undefined;
  /** All questions of an agent, those of earlier runs too, newest first, as they are stored. */
  history(agentId: AgentId, limit: number): Promise<readonly StoredApproval[]>;
  /**
   * Decides an open question; the first decision wins. Throws `denied` for a false proof or where a rule denies the call
   * by now, `unknown-approval`, `approval-closed`, `stale-handle`, `usage` for a scope that would not hold, `cannot-record`.
   */
  decide(proof: OperatorProof, agentId: AgentId, id: ApprovalId, verdict: Verdict): Promise<Approval>;
  /**
   * All of the arguments of an open question as JSON, for the operator alone: only known secrets are not in it. Recorded.
   * Throws `denied`, `unknown-approval`, `approval-closed`, `stale-handle`, `cannot-record`.
   */
  reveal(proof: OperatorProof, agentId: AgentId, id: ApprovalId): Promise<string>;
  onEvent(listener: (event: ApprovalEvent) => void): () => void;
  /** A free grant for exactly this call, from an approval whose caller had gone; reserved for it from now on. */
  take(question: Question): Grant | undefined;
  /**
   * Asks and waits: resolves with a grant, or with nothing when the rules answer the question themselves. After
   * `patience` milliseconds or when the signal aborts the call goes and the question stays (`approval-pending`,
   * `cancelled`). Rejects with `approval-rejected`, `approval-expired`, `stale-handle`, `server-closing`, `cannot-record`.
   */
  ask(question: Question, options: AskOptions): Promise<Grant | undefined>;
  /** Ends all questions: the host stops. */
  close(): void;
}

/** How a call waits. */
export interface AskOptions {
  readonly signal: AbortSignal;
  readonly patience?: number;
  /** Told the question once it is asked, so that the edge can say where to decide it. */
  readonly onasked?: (approval: Approval) => void;
}

/** What approvals stand on. */
export interface ApprovalsDeps extends ApprovalQuestionsDeps {
  readonly desk: OperatorDesk;
  /** How long a grant waits to be claimed, in milliseconds. */
  readonly grantLifetime: number;
}

/** Takes up the book of questions; what an earlier run left open is ended. */
export async function openApprovals(needs: ApprovalsDeps): Promise<Approvals> {
  const { stored, audit, rules, registry, desk, clock } = needs;
  const questions = new Questions(needs);
  const grants = createGrants({
    clock,
    lifetime: needs.grantLifetime,
    hold: ({ agentId, ownerKey }) => registry.hold(agentId, ownerKey),
  });
  let closing = false;

  const reason = 'The service stopped while the question was open.';
  for (const { id, agentId, handleName } of await stored.endLeftOver(
    endOf({ name: 'cancelled', reason }, clock.now()),
  )) {
    const detail = { approval_id: id, message: reason };
    audit.note({ action: 'approval_cancelled', subject: handleName, agentId, caller: 'host', detail });
  }

  registry.onWithdrawn((handles, why) => {
    const gone = new Set(handles);
    for (const asked of questions.pending()) {
      if (gone.has(asked.question.handle)) questions.withdraw(asked, { name: 'invalidated', reason: why });
    }
  });
  // A handle that went to sleep was not withdrawn, but an approval is bound to the connection that went with it.
  registry.onChanged(() => {
    grants.keepOnly(handle => registry.isLive(handle));
    for (const asked of questions.pending()) {
      if (!registry.isLive(asked.question.handle)) questions.withdraw(asked, { name: 'invalidated', reason: 'sleep' });
    }
  });
  rules.onChanged(() => {
    for (const asked of questions.pending()) {
      const { handle, caller, args } = asked.question;
      const { level } = rules.policy.decide(handle, caller, args);
      // A decision that is being written wakes the waiting call itself.
      if (!asked.deciding && (level === 'allow' || level === 'deny')) {
        questions.overtake(asked, `A rule answers it by now: ${level}.`);
      }
    }
  });

  function questionOf(agentId: AgentId, id: ApprovalId): Asked {
    const asked = questions.find(agentId, id);
    if (asked !== undefined) return asked;
    throw new LongshoreError('unknown-approval', `There is no question ${JSON.stringify(id)}. List the approvals.`);
  }

  async function approve(asked: Asked, scope: Scope, door: string): Promise<void> {
    const { handle, caller, args, argsDigest, metaDigest } = asked.question;
    const approvalId = asked.approval.id;
    if (rules.policy.decide(handle, caller, args).level === 'deny') {
      throw new LongshoreError('denied', `A rule denies ${handle.handleName} by now. Change the rule first.`);
    }
    if (scope === 'always' && isUnseen(asked.approval)) {
      throw new LongshoreError(
        'usage',
        `Not all of the arguments was shown, and what nobody has seen is not allowed for good. Open it first (longshore approvals --open ${approvalId}), or approve once.`,
      );
    }
    if (!scopesFor(asked.question, rules).includes(scope)) {
      throw new LongshoreError('usage', `A rule asks about this call whatever was allowed before. Approve it once.`);
    }
    await questions.decided(asked, { name: 'approved', scope, by: door }, isAwaited =>
      grants.give({ approvalId, caller, handle, argsDigest, metaDigest }, isAwaited),
    );
    if (scope === 'once') return;
    await rules.permit({ handle, caller, approvalId, lifetime: scope === 'session' ? 'session' : 'persistent' }, door);
  }

  return {
    open: agentId => questions.shown(agentId),
    get: (agentId, id) => questions.find(agentId, id)?.approval,
    history: (agentId, limit) => stored.list({ agentId, limit }),
    async decide(proof, agentId, id, verdict) {
      const door = desk.door(proof);
      const asked = questionOf(agentId, id);
      if (asked.deciding) throw new LongshoreError('approval-closed', 'Another decision about this came first.');
      if (clock.now() > asked.approval.expiresAt) questions.withdraw(asked, { name: 'expired' });
      if (!isOpen(asked.approval)) throw tooLate(asked.approval);
      if (verdict.approve) await approve(asked, verdict.scope ?? 'once', door);
      else {
        const why = verdict.reason ?? 'no reason was given.';
        await questions.decided(asked, { name: 'rejected', reason: why, by: door }, () => undefined);
      }
      return asked.approval;
    },
    async reveal(proof, agentId, id) {
      const door = desk.door(proof);
      return await questions.reveal(questionOf(agentId, id), door);
    },
    onEvent: listener => questions.onEvent(listener),
    take: question => grants.take(question),
    async ask(question, { signal, patience, onasked }) {
      if (closing) throw new LongshoreError('server-closing', 'The service is stopping; it asks no more questions.');
      // From here to the question being in the book nothing gives way, so no withdrawal is missed.
      if (!registry.isLive(question.handle)) throw withdrawnBefore(question);
      const waiting = questions.join(question) ?? (await questions.ask(question));
      const { approval, answer } = waiting;
      const cancel = () => waiting.leave(cancelled(approval));
      const timer = patience === undefined ? undefined : setTimeout(() => waiting.leave(pending(approval)), patience);
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      try {
        onasked?.(approval);
        return await answer;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      }
    },
    close() {
      closing = true;
      grants.keepOnly(() => false);
      for (const asked of questions.pending()) {
        questions.withdraw(asked, { name: 'cancelled', reason: 'The service is stopping.' });
      }
    },
  };
}

function withdrawnBefore({ handle }: Question): LongshoreError {
  return new LongshoreError(
    'stale-handle',
    `${handle.handleName} was withdrawn. List the tools again and call the new one.`,
  );
}

function cancelled({ id }: Approval): LongshoreError {
  return new LongshoreError('cancelled', `The caller stopped waiting for approval ${id}; it can still be decided.`, {
    data: { approvalId: id },
  });
}

function pending({ id, handle }: Approval): LongshoreError {
  return new LongshoreError(
    'approval-pending',
    `${handle.handleName} waits for approval ${id}. Decide it, then make the same call again.`,
    { data: { approvalId: id } },
  );
}

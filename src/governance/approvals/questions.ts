import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { AgentId, ApprovalId, RandomId } from '../../core/ids.ts';
import type { Log } from '../../core/ports/log.ts';
import { ByteBudget } from '../../lib/byte-budget.ts';
import { Emitter } from '../../lib/emitter.ts';
import { questionText } from '../../secrets/question-text.ts';
import type { Redactor } from '../../secrets/redact.ts';
import type { StoredApprovals } from '../../store/approvals.ts';
import type { Audit } from '../audit/audit.ts';
import type { Registry } from '../registry/registry.ts';
import { sincePinned } from '../rules/rule-pin.ts';
import type { Rules } from '../rules/rules.ts';
import { type Approval, type ApprovalState, isOpen, type Question } from './approval.ts';
import { approvalChange, endOf, refusalOf, scopesFor, storedApproval, tooLate } from './approval-record.ts';
import type { Grant } from './grants.ts';

/** What happened to a question; `withdrawn` is an end without a decision. */
export interface ApprovalEvent {
  readonly what: 'added' | 'changed' | 'resolved' | 'withdrawn';
  readonly approval: Approval;
}

/** The operator's side of a question. */
export interface Asked {
  readonly approval: Approval;
  readonly question: Question;
  /** A decision is being written; a second one comes too late. */
  readonly deciding: boolean;
}

/** A call's side of a question. */
export interface Waiting {
  readonly approval: Approval;
  readonly answer: Promise<Grant | undefined>;
  /** The call gives up; the question stays, with what it may give. Nothing if it is answered already. */
  leave(why: LongshoreError): void;
}

/** What questions stand on. */
export interface ApprovalQuestionsDeps {
  readonly stored: StoredApprovals;
  readonly audit: Audit;
  readonly rules: Rules;
  readonly registry: Registry;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly randomId: RandomId;
  readonly log: Log;
  /** How long a question stays open, in milliseconds. */
  readonly questionLifetime: number;
}

/** One caller may have so many questions open; a flood of them would bury the others. */
const mostPerCaller = 256;
/** Ended questions that are still answered from memory. */
const mostEnded = 1000;
const longestArgs = 65_536;
const longestMeta = 8_192;
/** Bytes of arguments that calls may keep in memory while they wait: of one caller, and of all. */
const mostBytes = { each: 16 * 1024 * 1024, all: 48 * 1024 * 1024 } as const;

interface Entry {
  approval: Approval;
  /** Without its arguments once it has ended: nobody looks at them any more. */
  question: Question;
  /** The bytes of its arguments. */
  readonly held: Disposable;
  waiter: PromiseWithResolvers<Grant | undefined> | undefined;
  deciding: boolean;
  /** On disk and told; before that nobody can decide it. */
  asked: boolean;
  /** The rules answered it. */
  overtaken: boolean;
  readonly expiry: AbortController;
  /** Keeps the server awake and mounted: an approval of a call on another connection would be worth nothing. */
  readonly hold: Disposable;
}

/** The book of questions: each is opened once, ends once, and every step of it is stored, recorded and told. */
export class Questions {
  readonly #needs: ApprovalQuestionsDeps;
  readonly #entries = new Map<ApprovalId, Entry>();
  readonly #ended: ApprovalId[] = [];
  readonly #emitter = new Emitter<[ApprovalEvent]>();
  readonly #bytes = new ByteBudget(mostBytes);

  constructor(needs: ApprovalQuestionsDeps) {
    this.#needs = needs;
  }

  /** The open ones, oldest first; also those that are just being written and that nobody can decide yet. */
  pending(): readonly Asked[] {
    return [...this.#entries.values()].filter(entry => isOpen(entry.approval));
  }

  /** The open ones of an agent that the operator may see and decide. */
  shown(agentId: AgentId): readonly Approval[] {
    const shown = (entry: Entry) => entry.asked && isOpen(entry.approval) && entry.approval.agentId === agentId;
    return [...this.#entries.values()].filter(shown).map(({ approval }) => approval);
  }

  find(agentId: AgentId, id: ApprovalId): Asked | undefined {
    const entry = this.#entries.get(id);
    return entry?.asked === true && entry.approval.agentId === agentId ? entry : undefined;
  }

  onEvent(listener: (event: ApprovalEvent) => void): () => void {
    return this.#emitter.on(listener);
  }

  /** Asks on behalf of a waiting call. Rejects with `cannot-record`, `approval-pending`, or what ended it meanwhile. */
  async ask(question: Question): Promise<Waiting> {
    const { audit, stored } = this.#needs;
    const entry = this.#open(question);
    const { id } = entry.approval;
    this.#entries.set(id, entry);
    try {
      const change = approvalChange(entry.approval, entry.approval.state, question.caller, question);
      await Promise.all([stored.add(storedApproval(entry.approval)), audit.change(change)]);
    } catch (error) {
      entry.hold[Symbol.dispose]();
      entry.held[Symbol.dispose]();
      this.#entries.delete(id);
      throw error;
    }
    if (entry.overtaken) return { approval: entry.approval, answer: Promise.resolve(undefined), leave() {} };
    if (!isOpen(entry.approval)) throw refusalOf(entry.approval);
    entry.asked = true;
    void this.#expire(entry);
    return this.#attach(entry, 'added');
  }

  /** Lets a call wait for the question that an identical one left behind when it went. */
  join(question: Question): Waiting | undefined {
    for (const entry of this.#entries.values()) {
      if (entry.approval.state.name !== 'awaiter-gone' || !isSame(entry.question, question)) continue;
      return this.#attach(entry, 'changed');
    }
    return undefined;
  }

  /** Ends a question without a decision: at once in memory, on disk and in the record as soon as may be. */
  withdraw(asked: Asked, state: ApprovalState & { name: 'expired' | 'cancelled' | 'invalidated' }): void {
    const entry = this.#entryOf(asked);
    if (!isOpen(entry.approval)) return;
    const waiter = this.#finish(entry, state);
    waiter?.reject(refusalOf(entry.approval));
    this.#withdrawn(entry);
  }

  /** Ends a question because the rules answer it: the waiting call looks at them again. */
  overtake(asked: Asked, why: string): void {
    const entry = this.#entryOf(asked);
    if (!isOpen(entry.approval)) return;
    entry.overtaken = true;
    const waiter = this.#finish(entry, { name: 'cancelled', reason: why });
    waiter?.resolve(undefined);
    this.#withdrawn(entry);
  }

  /**
   * Ends a question by a decision, first on disk and in the record, then for the waiting call; `answer` is asked for at
   * that moment. Rejects with `cannot-record` and leaves it open, or with what ended it meanwhile, and that wins (R41).
   */
  async decided(
    asked: Asked,
    state: ApprovalState & { name: 'approved' | 'rejected' },
    answer: (isAwaited: boolean) => Grant | undefined,
  ): Promise<void> {
    const entry = this.#entryOf(asked);
    const { audit, stored, clock } = this.#needs;
    entry.deciding = true;
    try {
      await audit.change(approvalChange(entry.approval, state, `operator:${state.by}`));
      await stored.end(entry.approval.id, endOf(state, clock.now()));
    } catch (error) {
      if (clock.now() > entry.approval.expiresAt) this.withdraw(entry, { name: 'expired' });
      throw error;
    } finally {
      entry.deciding = false;
    }
    if (!isOpen(entry.approval)) throw tooLate(entry.approval);
    const grant = answer(entry.waiter !== undefined);
    const waiter = this.#finish(entry, state);
    if (state.name === 'approved') waiter?.resolve(grant);
    else waiter?.reject(refusalOf(entry.approval));
    this.#tell('resolved', entry);
  }

  /**
   * All of the arguments as JSON, known secrets by their names; that it was asked for is recorded before it is told. Rejects
   * with `cannot-record`, or with what ended the question meanwhile.
   */
  async reveal(asked: Asked, door: string): Promise<string> {
    const entry = this.#entryOf(asked);
    const { audit, redactor, rules } = this.#needs;
    if (!isOpen(entry.approval)) throw tooLate(entry.approval);
    const { args, meta } = entry.question;
    const whole = { limit: Number.POSITIVE_INFINITY, unfolded: true };
    const { text } = questionText(args, redactor, whole);
    const beside = meta === undefined ? '' : `\n_meta ${questionText(meta, redactor, whole).text}`;
    const change = approvalChange(entry.approval, entry.approval.state, `operator:${door}`);
    await audit.change({ ...change, action: 'approval_opened' });
    if (!isOpen(entry.approval)) throw tooLate(entry.approval);
    entry.approval = { ...entry.approval, isOpened: true, scopes: scopesFor(entry.question, rules) };
    this.#tell('changed', entry);
    return text + beside;
  }

  #open(question: Question): Entry {
    const { rules, registry, redactor, clock, randomId, questionLifetime } = this.#needs;
    const { handle, caller, args, argsDigest, meta, dispatchId, misfits = [] } = question;
    const isOwn = (entry: Entry) => entry.approval.agentId === handle.agentId && entry.approval.caller === caller;
    const own = [...this.#entries.values()].filter(entry => isOpen(entry.approval) && isOwn(entry));
    if (own.length >= mostPerCaller) {
      throw new LongshoreError(
        'approval-pending',
        `${caller} has ${own.length} questions open. Decide some of them first.`,
      );
    }
    const held = this.#bytes.hold(`${handle.agentId} ${caller}`);
    if (!held.add(Buffer.byteLength(JSON.stringify([args, meta])))) throw tooManyBytes(caller);
    const { because, changed } = rules.policy.explain(handle, caller, args);
    const now = clock.now();
    const { text, folded, cut } = questionText(args, redactor, { limit: longestArgs, unfolded: false });
    const beside = meta && questionText(meta, redactor, { limit: longestMeta, unfolded: false });
    const scopes = scopesFor(question, rules);
    const approval: Approval = {
      id: randomId() as ApprovalId,
      dispatchId,
      agentId: handle.agentId,
      caller,
      handle,
      args: text,
      ...(beside && { meta: beside.text }),
      unseen: { folded: folded + (beside?.folded ?? 0), cut: cut + (beside?.cut ?? 0) },
      isOpened: false,
      argsDigest,
      because: redactor.text(because),
      ...(misfits.length > 0 && { misfits: misfits.map(misfit => redactor.text(misfit)) }),
      ...(changed?.pin ? { changed: sincePinned(changed.pin, handle) } : {}),
      scopes: folded + cut > 0 ? scopes.filter(scope => scope !== 'always') : scopes,
      state: { name: 'pending' },
      createdAt: now,
      expiresAt: now + questionLifetime,
    };
    const expiry = new AbortController();
    const hold = registry.hold(handle.agentId, handle.ownerKey);
    return {
      approval,
      question,
      held,
      waiter: undefined,
      deciding: false,
      asked: false,
      overtaken: false,
      expiry,
      hold,
    };
  }

  #attach(entry: Entry, what: 'added' | 'changed'): Waiting {
    const waiter = Promise.withResolvers<Grant | undefined>();
    const become = (state: ApprovalState, told: ApprovalEvent['what'], next: Entry['waiter']) => {
      entry.waiter = next;
      entry.approval = { ...entry.approval, state };
      this.#tell(told, entry);
    };
    become({ name: 'pending' }, what, waiter);
    const leave = (why: LongshoreError) => {
      if (entry.waiter !== waiter) return;
      waiter.reject(why);
      become({ name: 'awaiter-gone' }, 'changed', undefined);
    };
    return { approval: entry.approval, answer: waiter.promise, leave };
  }

  /** Final; gives back the waiter, if there is one, to be told. */
  #finish(entry: Entry, state: ApprovalState): Entry['waiter'] {
    const { waiter } = entry;
    entry.approval = { ...entry.approval, state };
    entry.waiter = undefined;
    entry.expiry.abort();
    entry.hold[Symbol.dispose]();
    entry.held[Symbol.dispose]();
    entry.question = { ...entry.question, args: {} };
    this.#ended.push(entry.approval.id);
    for (const oldest of this.#ended.splice(0, Math.max(0, this.#ended.length - mostEnded)))
      this.#entries.delete(oldest);
    return waiter;
  }

  #withdrawn(entry: Entry): void {
    const { audit, stored, clock, log } = this.#needs;
    const { approval } = entry;
    this.#tell('withdrawn', entry);
    audit.note(approvalChange(approval, approval.state, 'host'));
    // What this leaves open on disk, the next start ends.
    stored.end(approval.id, endOf(approval.state, clock.now())).catch((error: unknown) => {
      log.warn({ approval: approval.id, error: String(error) }, 'The end of a question could not be stored.');
    });
  }

  async #expire(entry: Entry): Promise<void> {
    const { clock, questionLifetime } = this.#needs;
    try {
      await clock.sleep(questionLifetime, entry.expiry.signal);
    } catch {
      return;
    }
    if (!entry.deciding) this.withdraw(entry, { name: 'expired' });
  }

  #tell(what: ApprovalEvent['what'], entry: Entry): void {
    if (!entry.asked) return;
    this.#emitter.emit({ what, approval: entry.approval });
  }

  #entryOf(asked: Asked): Entry {
    const entry = this.#entries.get(asked.approval.id);
    if (entry === undefined) throw tooLate(asked.approval);
    return entry;
  }
}

function isSame(a: Question, b: Question): boolean {
  return (
    a.handle === b.handle && a.caller === b.caller && a.argsDigest === b.argsDigest && a.metaDigest === b.metaDigest
  );
}

function tooManyBytes(caller: string): LongshoreError {
  return new LongshoreError(
    'too-many-requests',
    `The calls of ${caller} that wait for a decision hold too much: ${mostBytes.each / 1024 / 1024} MB of arguments are kept for one caller, ${mostBytes.all / 1024 / 1024} MB for all. Decide some of them first.`,
  );
}

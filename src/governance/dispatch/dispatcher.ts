import type { Mint } from '../../core/authorisation.ts';
import type { Clock } from '../../core/clock.ts';
import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import { type DispatchId, newDispatchId, type RandomId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Handle, HandleKind, RawResult } from '../../core/words.ts';
import { cut } from '../../lib/cut.ts';
import { received } from '../../schema/argument-snapshot.ts';
import type { Redactor } from '../../secrets/redact.ts';
import type { AwakeHandle, Question } from '../approvals/approval.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Grant } from '../approvals/grants.ts';
import type { Audit } from '../audit/audit.ts';
import type { Registry } from '../registry/registry.ts';
import type { Decision } from '../rules/policy.ts';
import type { Rules } from '../rules/rules.ts';
import type { ArgumentGuard } from './argument-guard.ts';
import type { Call, Dispatch, Fleet } from './call.ts';
import { callMeta } from './call-meta.ts';
import { type CallRecord, callRecord, type Permit } from './call-record.ts';
import { isInScope } from './caller-scope.ts';
import { operationOf } from './operation.ts';
import type { OutputCheck } from './output-check.ts';
import { decideAbout, deniesCompletion, isReadInScope, listedInstead } from './template-reads.ts';

/** Dependencies of dispatch. */
export interface DispatchDeps {
  readonly registry: Registry;
  readonly fleet: Fleet;
  readonly mint: Mint;
  readonly rules: Rules;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly guard: ArgumentGuard;
  readonly output: OutputCheck;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly randomId: RandomId;
  /** False once the host stops: then nothing new begins. */
  readonly isOpen: () => boolean;
}

/** Reads top to bottom as the drawing in docs/governance.md; every step is also a way out, and every way out is recorded. */
export function createDispatch(needs: DispatchDeps): Dispatch {
  return async (call, signal) => {
    const dispatchId = newDispatchId(needs.clock.now(), needs.randomId);
    const record = callRecord({ audit: needs.audit, now: () => needs.clock.now() }, dispatchId, call);
    try {
      const asked = received(call.completes ?? call.arguments);
      const named = resolve(needs, call, asked.args);
      record.about(named, asked);
      using _hold = needs.registry.hold(named.agentId, named.ownerKey);
      decide(needs, named, call, asked.args);
      const handle = await wake(needs, named, call, asked.args, signal);
      record.about(handle, asked);
      const args = await needs.guard.check(handle, asked, call.completes !== undefined);
      const question = { dispatchId, caller: call.caller, handle, ...args, ...callMeta(call.meta) };
      const permit = await permitted(needs, question, call, signal);
      await record.authorise(permit, question);
      const result = await send(needs, record, { handle, args: args.args, call, signal });
      record.returned(result);
      const unusable = needs.guard.diagnostic(handle);
      const warnings = [...(unusable === undefined ? [] : [unusable]), ...(await needs.output.check(handle, result))];
      return { result, warnings, dispatchId };
    } catch (error) {
      const failure = leaving(needs.redactor, asLongshoreError(error), dispatchId);
      record.failed(failure);
      throw failure;
    }
  };
}

/** The handle that a call means now. Throws `server-closing`, `unknown-tool` or `stale-handle`. */
export function resolve({ registry, isOpen }: DispatchDeps, call: Call, args: JsonObject | undefined): Handle {
  if (!isOpen()) throw new LongshoreError('server-closing', 'The service is stopping; it begins no more calls.');
  if (typeof call.handle === 'string') {
    const handle = registry.lookup(call.agentId, call.handle, call.kind);
    if (handle !== undefined) return listedInstead(registry, handle, args);
    throw unknown(call.kind, call.handle);
  }
  const handle = call.handle.agentId === call.agentId ? registry.successor(call.handle) : undefined;
  if (handle !== undefined) return listedInstead(registry, handle, args);
  throw stale(call.handle);
}

/** What the rules say of a call. Throws `denied`, or `unknown-tool` for what is out of its caller's reach. */
export function decide(
  { rules, registry }: DispatchDeps,
  handle: Handle,
  call: Call,
  args: JsonObject | undefined,
): Decision {
  const { caller, scope } = call;
  const { policy } = rules;
  const reach = scope?.();
  if (!isInScope(handle, reach) || !isReadInScope(handle, args, reach)) throw unknown(handle.kind, nameOf(call.handle));
  // Typing must not ask: arguments that are not complete yet are no call, so only what forbids all calls counts.
  if (call.completes !== undefined && !policy.forbids(handle, caller)) {
    if (!deniesCompletion(policy, handle, caller, call.completes)) return allowed;
    throw new LongshoreError('denied', `A rule denies what ${handle.handleName} would be with these values.`);
  }
  const { decision, about } = decideAbout({ policy, registry }, handle, caller, args);
  if (decision.level !== 'deny') return decision;
  const { because } = policy.explain(about, caller, args);
  throw new LongshoreError('denied', `${handle.handleName} was not called. ${because}`, {
    data: decision.rule === undefined ? {} : { ruleId: decision.rule.id },
  });
}

const allowed: Decision = { level: 'allow', rule: undefined, changed: undefined };

/** Waking gives a dormant handle its epoch; where the definition changed, a name leads to the new one and is decided anew. */
async function wake(
  needs: DispatchDeps,
  named: Handle,
  call: Call,
  args: JsonObject | undefined,
  signal: AbortSignal,
): Promise<AwakeHandle> {
  const { agentId, ownerKey, epoch } = named;
  const live = needs.fleet.connection(agentId, ownerKey);
  const isBound = isAwake(named) && live?.epoch === epoch;
  const connection = isBound ? live : await needs.fleet.wake(agentId, ownerKey, signal);
  const preparing = connection.prepare?.(call.client, signal);
  if (isBound && preparing === undefined) return named;
  await preparing;
  const handle = resolve(needs, call, args);
  if (isAwake(handle)) return handle;
  throw stale(handle);
}

/** Decides, and decides again after every wait, until the call may run or is refused. */
async function permitted(needs: DispatchDeps, question: Question, call: Call, signal: AbortSignal): Promise<Permit> {
  const { patience, onasked } = call;
  for (;;) {
    const { level, rule } = decide(needs, question.handle, call, question.args);
    if (level === 'allow') {
      return { decision: rule?.lifetime === 'session' ? 'auto_approved' : 'auto_allowed', ruleId: rule?.id };
    }
    const options = {
      signal,
      ...(patience === undefined ? {} : { patience }),
      ...(onasked === undefined ? {} : { onasked }),
    };
    const grant = needs.approvals.take(question) ?? (await needs.approvals.ask(question, options));
    const permit = grant && claimed(needs, question, grant, call, signal);
    if (permit) return permit;
  }
}

/** Turns the operator's word into leave for this call, unless a rule, the caller or the server has changed its mind. */
function claimed(
  needs: DispatchDeps,
  question: Question,
  grant: Grant,
  call: Call,
  signal: AbortSignal,
): Permit | undefined {
  const { approvalId } = grant;
  try {
    const { rule } = decide(needs, question.handle, call, question.args);
    if (signal.aborted) throw cancelled();
    if (grant.claim()) return { decision: 'user_approved', approvalId, ruleId: rule?.id };
    return undefined;
  } catch (error) {
    grant.release();
    throw error;
  }
}

/** Re-checks handle and rules and writes, without giving way to anything in between (R40). */
function send(
  needs: DispatchDeps,
  record: CallRecord,
  { handle, args, call, signal }: { handle: AwakeHandle; args: JsonObject; call: Call; signal: AbortSignal },
): Promise<RawResult> {
  const { agentId, ownerKey, epoch } = handle;
  const { onprogress, client, idleTimeout, totalTimeout } = call;
  const connection = needs.fleet.connection(agentId, ownerKey);
  const isCurrent = connection?.epoch === epoch && connection.state.name === 'ready';
  if (!isCurrent || !needs.registry.isLive(handle)) throw stale(handle);
  if (signal.aborted) throw cancelled();
  decide(needs, handle, call, args);
  const authorisation = needs.mint(operationOf(handle, args, call));
  record.sent();
  return connection.call(authorisation, {
    signal,
    ...(onprogress === undefined ? {} : { onprogress }),
    ...(client === undefined ? {} : { client }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(totalTimeout === undefined ? {} : { totalTimeout }),
  });
}

function nameOf(asked: Call['handle']): string {
  return typeof asked === 'string' ? asked : asked.handleName;
}

/** Also for what the caller must not know of. */
function unknown(kind: HandleKind = 'tool', name: string): LongshoreError {
  return new LongshoreError(
    'unknown-tool',
    `There is no ${kind} ${JSON.stringify(cut(name, 200))}. List them again to see what there is.`,
  );
}

function isAwake(handle: Handle): handle is AwakeHandle {
  return handle.epoch !== null;
}

function stale(handle: Handle): LongshoreError {
  return new LongshoreError(
    'stale-handle',
    `${handle.handleName} belongs to a connection that is gone or has changed. List the tools again and call the new one.`,
  );
}

function cancelled(): LongshoreError {
  return new LongshoreError('cancelled', 'The call was cancelled before it was sent.');
}

/**
 * The error as it leaves: without secrets, and with the dispatch by which the record is found. What a server itself answered
 * is its caller's as a result would be: of that only known values are masked.
 */
function leaving(redactor: Redactor, error: LongshoreError, dispatchId: DispatchId): LongshoreError {
  const cause = isClean(redactor, error) ? { cause: error } : {};
  if (error.code === 'server-error') {
    const data = redactor.known({ ...error.data, dispatchId });
    return new LongshoreError(error.code, redactor.known(error.message), { ...cause, data });
  }
  const data = redactor.json({ ...error.data, dispatchId }) as JsonObject;
  return new LongshoreError(error.code, redactor.text(error.message), { ...cause, data });
}

/** A cause is printed by whoever logs the error, so one that holds a secret is left behind. */
function isClean(redactor: Redactor, error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (redactor.text(at.message) !== at.message) return false;
  }
  return true;
}

import type { ErrorCode, LongshoreError } from '../../core/errors.ts';
import type { ApprovalId, Digest, DispatchId, RuleId } from '../../core/ids.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { Handle, RawResult } from '../../core/words.ts';
import type { Received } from '../../schema/argument-snapshot.ts';
import type { Audit, CallEntry } from '../audit/audit.ts';
import type { Call } from './call.ts';

/** Why a call may run: a rule, a permission given for the session, or the operator's word about this very call. */
export interface Permit {
  readonly decision: 'auto_allowed' | 'auto_approved' | 'user_approved';
  readonly ruleId?: RuleId | undefined;
  readonly approvalId?: ApprovalId | undefined;
}

/** What the record gets of one dispatch: at most one authorisation, and exactly one outcome. */
export interface CallRecord {
  /** What is known by now of the handle that is called. */
  about(handle: Handle, asked: Received): void;
  /** Resolves when it is on disk that the call may run, what of it does not fit, and the digest of its `_meta`. Rejects with `cannot-record`. */
  authorise(
    permit: Permit,
    noted: { readonly misfits?: readonly string[]; readonly metaDigest?: Digest },
  ): Promise<void>;
  /** The call was written to the server now; the time it takes counts from here. */
  sent(): void;
  returned(result: RawResult): void;
  failed(error: LongshoreError): void;
}

/** Why a call was refused, where it was not the server or the wire that failed. */
const refusals: Partial<Record<ErrorCode, string>> = {
  denied: 'auto_denied',
  'approval-rejected': 'user_denied',
  'approval-expired': 'timeout',
  'approval-pending': 'approval_required',
  cancelled: 'user_cancelled',
};

/** Begins the record of a call. */
export function callRecord(
  needs: { readonly audit: Audit; readonly now: () => number },
  id: DispatchId,
  call: Call,
): CallRecord {
  const { audit, now } = needs;
  let facts: CallEntry = {
    dispatch_id: id,
    agent_id: call.agentId,
    caller: call.caller,
    // A name that leads nowhere may be anything; only as a subject is it masked and cut.
    ...(typeof call.handle === 'string' ? { subject: call.handle } : { handle_name: call.handle.handleName }),
  };
  let permit: Permit | undefined;
  let sentAt: number | undefined;

  let ended = false;

  function outcome(status: 'ok' | ErrorCode, more: CallEntry): void {
    if (ended) return;
    ended = true;
    const latency = sentAt === undefined ? null : Math.max(0, Math.round(now() - sentAt));
    audit.outcome({ ...facts, status, latency_ms: latency, ...more });
  }

  return {
    about(handle, { args, argsDigest }) {
      facts = {
        ...facts,
        subject: null,
        owner_key: handle.ownerKey,
        handle_name: handle.handleName,
        handle_kind: handle.kind,
        wire_name: handle.wireName,
        epoch: handle.epoch,
        protocol_version: handle.protocolVersion,
        definition_digest: handle.definitionDigest,
        args_digest: argsDigest ?? null,
        ...(args === undefined ? {} : { args }),
      };
    },
    async authorise(given, { misfits = [], metaDigest }) {
      const { decision, ruleId, approvalId } = given;
      const granted = { decision, rule_id: ruleId ?? null, approval_id: approvalId ?? null };
      const notes = [
        ...(misfits.length === 0 ? [] : [misfitNote(misfits)]),
        ...(metaDigest === undefined ? [] : [`_meta ${metaDigest}`]),
      ];
      const note = notes.length === 0 ? {} : { message: notes.join(' ') };
      await audit.authorise({ ...facts, ...granted, ...note });
      permit = given;
      // The outcome is joined to this row by the dispatch; the arguments are there already.
      const { args: _, ...rest } = facts;
      facts = { ...rest, ...granted };
    },
    sent() {
      sentAt = now();
    },
    returned(result) {
      outcome(result['isError'] === true ? 'tool-error' : 'ok', { result_size: sizeOf(result) });
    },
    failed(error) {
      const data = error.data ?? {};
      const decision = permit?.decision ?? refusalOf(error, facts);
      const known = { rule_id: textOf(data['ruleId']), approval_id: textOf(data['approvalId']) };
      outcome(error.code, { ...(permit === undefined ? { ...known, decision } : {}), message: error.message });
    },
  };
}

function misfitNote(misfits: readonly string[]): string {
  return `The arguments do not fit the tool's own schema: ${misfits.join('; ')}.`;
}

function refusalOf(error: LongshoreError, { owner_key }: CallEntry): string {
  if (error.code === 'stale-handle' && error.data?.['approvalId'] !== undefined) return 'handle_invalidated';
  // The caller was told that there is no such handle, and there is one.
  if (error.code === 'unknown-tool' && typeof owner_key === 'string') return 'out_of_scope';
  return refusals[error.code] ?? 'blocked';
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** About how many characters a result has: the texts in it, without the cost of writing it out. */
function sizeOf(result: RawResult): number {
  let size = 0;
  const open: JsonValue[] = [result];
  for (let looked = 0; open.length > 0 && looked < 100_000; looked += 1) {
    const value = open.pop();
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) open.push(item);
    else if (isJsonObject(value))
      for (const member of Object.values(value))
        if (member !== undefined) open.push(member);
        else size += 1;
  }
  return size;
}

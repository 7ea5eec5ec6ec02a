import { describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { AgentId, ApprovalId, Digest, DispatchId, Epoch, HandleName, RuleId, ServerKey } from '../core/ids.ts';
import type { StoredApproval } from './approvals.ts';
import type { AuditRow } from './audit.ts';
import type { StoredRule } from './rules.ts';
import { openStore } from './store.ts';

const alice = 'did:test:alice' as AgentId;
const bob = 'did:test:bob' as AgentId;

function rule(id: string, more: Partial<StoredRule> = {}): StoredRule {
  return {
    id: id as RuleId,
    agentId: alice,
    level: 'allow',
    pattern: 'files.*',
    pin: null,
    source: 'operator',
    reason: null,
    createdAt: 1,
    ...more,
  };
}

describe('rules', () => {
  it('keeps one rule for one agent and pattern: the latest', async () => {
    await using store = await openStore({ path: ':memory:', clock: systemClock });
    const pinned = rule('r3', { pattern: 'files__x', pin: { definitionDigest: 'd' }, reason: 'why', createdAt: 3 });
    await store.rules.put(rule('r1'));
    await store.rules.put(rule('r2', { agentId: bob, createdAt: 2 }));
    await store.rules.put(pinned);
    await store.rules.put(rule('r4', { level: 'deny', createdAt: 4 }));
    await store.rules.put(rule('r5', { agentId: null, createdAt: 5 }));
    await store.rules.put(rule('r6', { agentId: null, level: 'ask', createdAt: 6 }));
    const all = await store.rules.all();
    expect(all.map(({ id }) => id)).toEqual(['r2', 'r3', 'r4', 'r6']);
    expect(all[1]).toEqual(pinned);
    expect(await store.rules.remove('r4' as RuleId)).toBe(true);
    expect(await store.rules.remove('r4' as RuleId)).toBe(false);
  });
});

describe('approvals', () => {
  const approval: StoredApproval = {
    id: 'a1' as ApprovalId,
    dispatchId: 'd1' as DispatchId,
    agentId: alice,
    caller: 'library',
    ownerKey: 'files' as ServerKey,
    handleName: 'files__x' as HandleName,
    kind: 'tool',
    epoch: 'e1' as Epoch,
    definitionDigest: 'digest' as Digest,
    argsDigest: 'args' as Digest,
    args: '{}',
    state: 'pending',
    scope: null,
    reason: null,
    decidedBy: null,
    createdAt: 1,
    expiresAt: 2,
    closedAt: null,
  };
  const end = { state: 'approved', scope: 'once', reason: null, decidedBy: 'cli', closedAt: 5 };

  it('keeps a question and how it ended, and ends what an earlier run left open', async () => {
    await using store = await openStore({ path: ':memory:', clock: systemClock });
    const second = { ...approval, id: 'a2' as ApprovalId, createdAt: 2 };
    await store.approvals.add(approval);
    await store.approvals.add(second);
    await store.approvals.end(approval.id, end);
    expect(await store.approvals.list({ agentId: alice, limit: 10 })).toEqual([second, { ...approval, ...end }]);
    expect(await store.approvals.list({ agentId: bob, limit: 10 })).toEqual([]);
    const stopped = { ...end, state: 'cancelled', scope: null, reason: 'the service stopped' };
    expect(await store.approvals.endLeftOver(stopped)).toEqual([second]);
    expect(await store.approvals.get(second.id)).toEqual({ ...second, ...stopped });
    expect(await store.approvals.get('none' as ApprovalId)).toBeUndefined();
  });
});

describe('audit rows', () => {
  function row(seq: number, more: Partial<AuditRow> = {}): AuditRow {
    return {
      seq,
      at: seq,
      kind: 'outcome',
      dispatch_id: 'd',
      agent_id: alice,
      caller: 'library',
      owner_key: 'files',
      handle_name: 'files__x',
      handle_kind: 'tool',
      wire_name: 'x',
      epoch: 'e1',
      protocol_version: '2026-07-28',
      definition_digest: 'digest',
      args_digest: 'args',
      args: '{"a":"\u0000☃"}',
      decision: 'auto_allowed',
      rule_id: null,
      approval_id: null,
      action: null,
      subject: null,
      status: 'ok',
      message: null,
      latency_ms: 3,
      result_size: 10,
      prev: '',
      hash: `h${seq}`,
      ...more,
    };
  }

  it('come back exactly as they were written, filtered and in order', async () => {
    await using store = await openStore({ path: ':memory:', clock: systemClock });
    const rows = [row(1), row(2, { agent_id: bob, handle_name: 'other__x' }), row(3, { decision: 'auto_denied' })];
    await store.audit.append(rows);
    await store.audit.append([]);
    expect(await store.audit.read({ limit: 10, order: 'oldest-first' })).toEqual(rows);
    const seqs = async (filter: object) =>
      (await store.audit.read({ limit: 10, order: 'newest-first', ...filter })).map(({ seq }) => seq);
    expect(await seqs({})).toEqual([3, 2, 1]);
    expect(await seqs({ agentId: bob })).toEqual([2]);
    expect(await seqs({ handleName: 'files__x' })).toEqual([3, 1]);
    expect(await seqs({ decision: 'auto_denied' })).toEqual([3]);
    expect(await seqs({ since: 2 })).toEqual([3, 2]);
    expect(await seqs({ after: 1, before: 3 })).toEqual([2]);
    expect(await seqs({ limit: 1 })).toEqual([3]);
  });

  it('are written all or none', async () => {
    await using store = await openStore({ path: ':memory:', clock: systemClock });
    await store.audit.append([row(1)]);
    await expect(store.audit.append([row(2), row(1), row(3)])).rejects.toThrow('UNIQUE');
    expect(await store.audit.read({ limit: 10, order: 'oldest-first' })).toEqual([row(1)]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alice, bob, endOf, files, governedWorld, tool } from '../../../test/fixtures/governed-world.ts';
import { manualClock } from '../../../test/fixtures/manual-clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { type ApprovalId, sha256 } from '../../core/ids.ts';
import { registryMount } from '../registry/registry-mount.ts';
import type { Verdict } from './approval.ts';
import type { OperatorProof } from './operator-proof.ts';
import type { ApprovalEvent } from './questions.ts';

const approve: Verdict = { approve: true };

async function world(options: Parameters<typeof governedWorld>[0] = {}) {
  const made = await governedWorld(options);
  made.load([tool('write'), tool('read')]);
  const decide = (id: ApprovalId, verdict: Verdict = approve, proof = made.operator, agent = alice) =>
    endOf(made.approvals.decide(proof, agent, id, verdict));
  return { ...made, decide };
}

describe('approvals', () => {
  it('only the operator decides: no look-alike, no proof of another host', async () => {
    await using here = await world();
    await using elsewhere = await world();
    const call = endOf(here.call('files__write'));
    const { id } = await here.question();
    const copied = structuredClone(here.operator);
    const forgeries: unknown[] = [{}, copied, null, 'operator', elsewhere.operator, Object.create(here.operator)];
    for (const forged of forgeries) expect(await here.decide(id, approve, forged as OperatorProof)).toBe('denied');
    expect(here.sent()).toEqual([]);
    expect(await here.decide(id)).toBe('ok');
    expect(await call).toBe('ok');
    expect(here.approvals.get(alice, id)?.state).toEqual({ name: 'approved', scope: 'once', by: 'test' });
  });

  it('agents do not see or decide each other’s questions', async () => {
    await using here = await world();
    void endOf(here.call('files__write'));
    const { id } = await here.question();
    expect(here.approvals.open(bob)).toEqual([]);
    expect(here.approvals.get(bob, id)).toBeUndefined();
    expect(await here.decide(id, approve, here.operator, bob)).toBe('unknown-approval');
    expect(await here.approvals.history(bob, 10)).toEqual([]);
    expect(await here.decide('none' as ApprovalId)).toBe('unknown-approval');
  });

  it('the first decision wins, also against one that is being written', async () => {
    await using here = await world();
    const call = endOf(here.call('files__write'));
    const { id } = await here.question();
    const ends = await Promise.all([
      here.decide(id, { approve: false, reason: 'not today' }),
      here.decide(id),
      here.decide(id),
    ]);
    expect(ends).toEqual(['ok', 'approval-closed', 'approval-closed']);
    expect(await call).toBe('approval-rejected');
    expect(await here.decide(id)).toBe('approval-closed');
    const decided = (await here.rows()).filter(row => row.caller === 'operator:test').map(row => row.action);
    expect(decided).toEqual(['approval_rejected']);
    expect(await here.approvals.history(alice, 1)).toMatchObject([{ state: 'rejected', reason: 'not today' }]);
    expect(here.sent()).toEqual([]);
  });

  it('a rejection tells its reason to the caller and to the record', async () => {
    await using here = await world();
    const call = here.call('files__write').catch((error: unknown) => error);
    const { id } = await here.question();
    await here.decide(id, { approve: false, reason: 'wrong folder' });
    expect(await call).toMatchObject({ code: 'approval-rejected', message: expect.stringContaining('wrong folder') });
    await here.recorded();
    const rows = await here.rows();
    expect(rows.find(row => row.action === 'approval_rejected')).toMatchObject({
      message: 'wrong folder',
      caller: 'operator:test',
    });
    expect(rows.find(row => row.decision === 'user_denied')).toMatchObject({ kind: 'outcome', approval_id: id });
  });

  it('expires when nobody decides, and a click after that does nothing', async () => {
    const clock = manualClock();
    await using here = await world({ clock, questionLifetime: 1000 });
    const call = endOf(here.call('files__write'));
    const { id } = await here.question();
    clock.advance(1001);
    expect(await call).toBe('approval-expired');
    expect(await here.decide(id)).toBe('approval-closed');
    expect(here.approvals.get(alice, id)?.state).toEqual({ name: 'expired' });
  });

  it('a grant that nobody claims is worth nothing after its time', async () => {
    const clock = manualClock();
    await using here = await world({ clock, grantLifetime: 600_000 });
    const call = () => endOf(here.call('files__write', { a: 1 }, { patience: 0 }));
    expect(await call()).toBe('approval-pending');
    await here.decide((await here.question()).id);
    clock.advance(600_001);
    await Promise.resolve();
    expect(await call()).toBe('approval-pending');
    await here.decide((await here.question()).id);
    clock.advance(599_999);
    expect(await call()).toBe('ok');
  });

  it('a server with an open question or an unclaimed grant is in use: it does not sleep', async () => {
    const clock = manualClock();
    await using here = await world({ clock });
    const busy = () => here.registry.holds.busy(alice, files);
    const call = () => endOf(here.call('files__write', { a: 1 }, { patience: 0 }));
    expect(await call()).toBe('approval-pending');
    expect(busy()).toBe(true);
    await here.decide((await here.question()).id);
    expect(busy()).toBe(true);
    expect(await call()).toBe('ok');
    expect(busy()).toBe(false);
    expect(await call()).toBe('approval-pending');
    await here.decide((await here.question()).id);
    clock.advance(600_001);
    await Promise.resolve();
    expect(busy()).toBe(false);
    expect(await call()).toBe('approval-pending');
    await here.decide((await here.question()).id, { approve: false });
    expect(busy()).toBe(false);
  });

  it('R42: a grant that nobody claimed ends with its handle', async () => {
    await using here = await world();
    const call = () => endOf(here.call('files__write', { a: 1 }, { patience: 0 }));
    expect(await call()).toBe('approval-pending');
    await here.decide((await here.question()).id);
    here.reload();
    expect(here.registry.holds.busy(alice, files)).toBe(false);
    expect(await call()).toBe('approval-pending');
    expect(here.sent()).toEqual([]);
  });

  it('R41: a withdrawn handle closes its questions at once; a late click neither runs nor writes', async () => {
    await using here = await world();
    const events: string[] = [];
    here.approvals.onEvent(({ what, approval }) => events.push(`${what} ${approval.state.name}`));
    const call = endOf(here.call('files__write'));
    const { id } = await here.question();
    here.reload();
    expect(here.approvals.open(alice)).toEqual([]);
    expect(events).toEqual(['added pending', 'withdrawn invalidated']);
    expect(here.approvals.get(alice, id)?.state).toEqual({ name: 'invalidated', reason: 'reload' });
    expect(await call).toBe('stale-handle');
    for (const scope of ['once', 'session', 'always'] as const) {
      expect(await here.decide(id, { approve: true, scope })).toBe('stale-handle');
    }
    expect(here.rules.list(alice)).toEqual([]);
    expect(await endOf(here.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
    expect((await here.question()).id).not.toBe(id);
  });

  it('R41: a withdrawal while the decision is written wins over it', async () => {
    await using here = await world();
    for (const scope of ['once', 'session', 'always'] as const) {
      const call = endOf(here.call('files__write'));
      const { id } = await here.question();
      const click = here.decide(id, { approve: true, scope });
      here.reload();
      expect(await click).toBe('stale-handle');
      expect(await call).toBe('stale-handle');
    }
    expect(here.rules.list(alice)).toEqual([]);
    expect(here.sent()).toEqual([]);
  });

  it('R42: a session permission is not given to what was withdrawn the moment it was approved', async () => {
    await using here = await world();
    const call = endOf(here.call('files__write'));
    const { id } = await here.question();
    here.approvals.onEvent(({ what }) => {
      if (what === 'resolved') here.reload();
    });
    expect(await here.decide(id, { approve: true, scope: 'session' })).toBe('ok');
    expect(await call).toBe('stale-handle');
    expect(here.rules.list(alice)).toEqual([]);
  });

  it('a question left behind ends when its server goes to sleep: an approval is bound to the connection', async () => {
    await using here = await world();
    expect(await endOf(here.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
    const { id } = await here.question();
    here.sleep();
    expect(here.approvals.get(alice, id)?.state).toEqual({ name: 'invalidated', reason: 'sleep' });
  });

  it('offers only what would hold: once under always-ask and under a rule that is more specific', async () => {
    await using here = await world();
    await here.rule('always-ask', 'files.write');
    await here.rule('ask', 'files.read when amount > 100');
    const calls = [endOf(here.call('files__write')), endOf(here.call('files__read', { amount: 500 }))];
    await here.questions(2);
    const [write, read] = here.approvals.open(alice);
    if (!write || !read) throw new Error('two were asked');
    expect([write.scopes, read.scopes]).toEqual([['once'], ['once', 'session']]);
    expect(await here.decide(write.id, { approve: true, scope: 'always' })).toBe('usage');
    expect(await here.decide(write.id)).toBe('ok');
    expect(await here.decide(read.id, { approve: true, scope: 'session' })).toBe('ok');
    expect(await Promise.all(calls)).toEqual(['ok', 'ok']);
    expect(await endOf(here.call('files__read', { amount: 501 }))).toBe('ok');
    expect(await endOf(here.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
  });

  it('a session permission is for this caller only', async () => {
    await using here = await world();
    const call = endOf(here.call('files__write', {}, { caller: 'client:a' }));
    await here.decide((await here.question()).id, { approve: true, scope: 'session' });
    expect(await call).toBe('ok');
    expect(await endOf(here.call('files__write', { n: 2 }, { caller: 'client:a' }))).toBe('ok');
    expect(await endOf(here.call('files__write', { n: 2 }, { caller: 'client:b', patience: 0 }))).toBe(
      'approval-pending',
    );
  });

  it('an always for a caller or tool with * in its name reaches no other', async () => {
    await using here = await world();
    here.load([tool('*'), tool('other')], { key: 'odd' as never });
    const star = here.registry.list(alice, { ownerKey: 'odd' as never })[0];
    if (!star) throw new Error('it is mounted');
    const call = endOf(here.call(star, {}, { caller: 'client:*' }));
    await here.decide((await here.question()).id, { approve: true, scope: 'always' });
    expect(await call).toBe('ok');
    expect(await endOf(here.call(star, { n: 1 }, { caller: 'client:*' }))).toBe('ok');
    expect(await endOf(here.call(star, {}, { caller: 'client:b', patience: 0 }))).toBe('approval-pending');
    expect(await endOf(here.call('odd__other', {}, { caller: 'client:*', patience: 0 }))).toBe('approval-pending');
  });

  it('R36: approving what a rule denies by now does nothing', async () => {
    await using here = await world();
    const call = endOf(here.call('files__write', {}, { patience: 0 }));
    const { id } = await here.question();
    await call;
    await here.rule('deny', 'files.write');
    expect(await here.decide(id)).toBe('approval-closed');
    expect(await endOf(here.call('files__write'))).toBe('denied');
  });

  it('a rule that comes while the question is still being written answers it', async () => {
    const gate = Promise.withResolvers<void>();
    await using here = await world({
      between: store => ({
        ...store,
        approvals: {
          ...store.approvals,
          async add(approval) {
            await gate.promise;
            await store.approvals.add(approval);
          },
        },
      }),
    });
    const calls = [endOf(here.call('files__write')), endOf(here.call('files__read'))];
    await here.rule('allow', 'files.write by *');
    await here.rule('deny', 'files.read');
    gate.resolve();
    expect(await Promise.all(calls)).toEqual(['ok', 'denied']);
    expect(here.approvals.open(alice)).toEqual([]);
  });

  it('R43: a changed list ends only the questions about what changed', async () => {
    await using here = await world();
    const ends = [endOf(here.call('files__write')), endOf(here.call('files__read'))];
    await here.questions(2);
    here.changeList([tool('write', { description: 'changed' }), tool('read')]);
    expect(await ends[0]).toBe('stale-handle');
    const [kept] = here.approvals.open(alice);
    expect(kept?.handle.handleName).toBe('files__read');
    if (kept) await here.decide(kept.id);
    expect(await ends[1]).toBe('ok');
  });

  it('a decision that cannot be written is no decision; the question stays', async () => {
    let broken = false;
    await using here = await world({
      between: store => ({
        ...store,
        approvals: {
          ...store.approvals,
          end: (id, end) =>
            broken ? Promise.reject(new LongshoreError('cannot-record', 'full')) : store.approvals.end(id, end),
        },
      }),
    });
    const call = endOf(here.call('files__write'));
    const { id } = await here.question();
    broken = true;
    expect(await here.decide(id)).toBe('cannot-record');
    broken = false;
    expect(here.approvals.get(alice, id)?.state.name).toBe('pending');
    expect(await here.decide(id)).toBe('ok');
    expect(await call).toBe('ok');
  });

  it('a flood of questions of one caller is stopped, and others are still asked', async () => {
    await using here = await world();
    const flood = Array.from({ length: 256 }, (_, n) => endOf(here.call('files__write', { n }, { patience: 0 })));
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['approval-pending']));
    const more = await here.call('files__write', { n: 'more' }).catch((error: unknown) => error);
    expect(more).toMatchObject({ code: 'approval-pending', message: expect.stringContaining('256 questions') });
    expect(await endOf(here.call('files__write', {}, { caller: 'client:b', patience: 0 }))).toBe('approval-pending');
    expect(here.approvals.open(alice).length).toBe(257);
  });

  it('S15: what the operator and the events are shown holds no known secret', async () => {
    await using here = await world();
    here.redactor.learn([{ name: 'A_KEY', value: 'sk-123' }]);
    const shown: ApprovalEvent[] = [];
    here.approvals.onEvent(event => shown.push(event));
    void endOf(here.call('files__write', { note: 'use sk-123', password: 'canary-77' }));
    expect((await here.question()).args).toBe('{"note":"use [secret A_KEY]","password":"[masked: 9 characters]"}');
    const stored = await here.approvals.history(alice, 10);
    expect(JSON.stringify([shown, stored, here.approvals.open(alice), await here.rows()])).not.toMatch(
      /sk-123|canary-77/,
    );
  });

  it('S8: what is folded or cut off is opened by the operator alone, recorded, and not allowed for good before', async () => {
    for (const args of [{ password: 'canary-77' }, { text: 'x'.repeat(70_000) }]) {
      await using here = await world();
      here.redactor.learn([{ name: 'A_KEY', value: 'sk-123' }]);
      const call = endOf(here.call('files__write', { ...args, note: 'sk-123' }));
      const { id, scopes, unseen } = await here.question();
      expect(scopes).toEqual(['once', 'session']);
      expect(unseen.folded + unseen.cut).toBeGreaterThan(0);
      expect(await here.decide(id, { approve: true, scope: 'always' })).toBe('usage');
      expect(await endOf(here.approvals.reveal({} as never, alice, id))).toBe('denied');
      expect(await endOf(here.approvals.reveal(here.operator, bob, id))).toBe('unknown-approval');
      expect(JSON.parse(await here.approvals.reveal(here.operator, alice, id))).toEqual({
        ...args,
        note: '[secret A_KEY]',
      });
      expect((await here.rows()).at(-1)).toMatchObject({
        action: 'approval_opened',
        approval_id: id,
        caller: 'operator:test',
      });
      expect(here.approvals.get(alice, id)?.scopes).toEqual(['once', 'session', 'always']);
      expect(await here.decide(id, { approve: true, scope: 'always' })).toBe('ok');
      expect(await call).toBe('ok');
      expect(await endOf(here.approvals.reveal(here.operator, alice, id))).toBe('approval-closed');
    }
  });

  it('S8: what cannot be recorded as opened is not shown', async () => {
    await using here = await world();
    void endOf(here.call('files__write', { password: 'canary-77' }));
    const { id } = await here.question();
    here.breakAudit();
    expect(await endOf(here.approvals.reveal(here.operator, alice, id))).toBe('cannot-record');
    expect(here.approvals.get(alice, id)?.isOpened).toBe(false);
  });

  it('S11: tools with plain names are asked about, and allowed for good, like any other', async () => {
    await using here = await world();
    const { epoch, protocolVersion } = here.load([tool('add')]);
    const offer = { agentId: alice, serverKey: files, epoch, protocolVersion, names: 'plain' as const };
    registryMount(here.registry).mount(
      { ...offer, tools: [tool('add')], resources: [], templates: [], prompts: [] },
      'load',
    );
    for (const scope of ['session', 'always'] as const) {
      const call = endOf(here.call('add', { scope }, { caller: `client:${scope}` }));
      const { id } = await here.question();
      expect(await here.decide(id, { approve: true, scope })).toBe('ok');
      expect(await call).toBe('ok');
      expect(await endOf(here.call('add', {}, { caller: `client:${scope}`, patience: 0 }))).toBe('ok');
    }
    await here.rule('deny', '"add"');
    expect(await endOf(here.call('add'))).toBe('denied');
  });

  it('R42: "always" is said to the program that a server is started from: another one under the same name asks again, and shows both', async () => {
    await using here = await world();
    const from = (text: string) => ({ digest: sha256(text), text });
    const tools = [tool('write')];
    here.load(tools, { program: from('docker.io/mcp/files:latest') });
    const call = endOf(here.call('files__write'));
    expect(await here.decide((await here.question()).id, { approve: true, scope: 'always' })).toBe('ok');
    expect(await call).toBe('ok');
    here.unload();
    here.load(tools, { program: from('evil.example/mcp/files:latest') });
    void endOf(here.call('files__write'));
    expect((await here.question()).changed).toEqual([
      { path: 'program', before: 'docker.io/mcp/files:latest', after: 'evil.example/mcp/files:latest' },
    ]);
    expect(here.rules.list(alice).map(({ problem }) => problem)).toEqual([
      'files__write is not what it was when it was allowed: its server is started from evil.example/mcp/files:latest, and was from docker.io/mcp/files:latest.',
    ]);
    here.unload();
    here.load(tools, { program: from('docker.io/mcp/files:latest') });
    expect(await endOf(here.call('files__write', {}, { patience: 0 }))).toBe('ok');
  });

  it('what an earlier run left open is ended at the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-approvals-'));
    const path = join(folder, 'longshore.db');
    const crashed = await world({ path });
    void endOf(crashed.call('files__write'));
    const { id } = await crashed.question();
    // The database goes first, as in a crash: nothing can be written about the end.
    await crashed.store.close();
    await using next = await world({ path });
    expect(await next.approvals.history(alice, 10)).toMatchObject([{ id, state: 'cancelled' }]);
    expect(next.approvals.get(alice, id)).toBeUndefined();
    crashed.stop();
    rmSync(folder, { recursive: true, force: true });
  });
});

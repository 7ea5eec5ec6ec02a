import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignDatabase } from '../../../test/fixtures/foreign-database.ts';
import { alice, bob, endOf, governedWorld, tool } from '../../../test/fixtures/governed-world.ts';
import type { RuleId } from '../../core/ids.ts';
import type { OperatorProof } from '../approvals/operator-proof.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const path = () => join(folder, 'longshore.db');

describe('rules', () => {
  it('hold after a restart; a deny too when nothing can be written', async () => {
    {
      await using world = await governedWorld({ path: path() });
      await world.rule('deny', 'files.write');
      await world.rule('allow', 'files.read');
    }
    await using world = await governedWorld({ path: path() });
    const connection = world.load([tool('write'), tool('read')]);
    expect(await endOf(world.call('files__read'))).toBe('ok');
    const other = foreignDatabase(path());
    other.exec('begin immediate');
    expect(await endOf(world.call('files__write'))).toBe('denied');
    expect(await endOf(world.call('files__read'))).toBe('cannot-record');
    expect(await endOf(world.rule('allow', 'files.write'))).toBe('cannot-record');
    expect(await endOf(world.call('files__write'))).toBe('denied');
    other.exec('rollback');
    other.close();
    expect(connection.sent.length).toBe(1);
  });

  it('are changed by the operator only, and every change is a row', async () => {
    await using world = await governedWorld();
    const forged = { agentId: alice, level: 'allow', pattern: '*' } as const;
    expect(await endOf(world.rules.add({} as OperatorProof, forged))).toBe('denied');
    const rule = await world.rules.add(world.operator, { ...forged, reason: 'trial' });
    expect(await endOf(world.rules.remove({} as OperatorProof, alice, rule.id))).toBe('denied');
    expect(await endOf(world.rules.remove(world.operator, bob, rule.id))).toBe('unknown-rule');
    await world.rules.remove(world.operator, alice, rule.id);
    expect(world.rules.list(alice)).toEqual([]);
    expect(await endOf(world.rules.remove(world.operator, alice, 'none' as RuleId))).toBe('unknown-rule');
    const rows = await world.rows();
    expect(rows.map(({ action, subject, caller, message }) => [action, subject, caller, message])).toEqual([
      ['rule_added', 'allow *', 'operator:test', 'trial'],
      ['rule_removed', 'allow *', 'operator:test', 'trial'],
    ]);
  });

  it('one that cannot be read is refused with the place, and nothing is recorded', async () => {
    await using world = await governedWorld();
    expect(await endOf(world.rule('allow', 'files.write when path near /x'))).toBe('usage');
    expect(await world.rows()).toEqual([]);
    await expect(governedWorld({ rules: [{ level: 'deny', pattern: '!' }] })).rejects.toMatchObject({ code: 'usage' });
  });

  it('the same pattern again replaces the earlier rule, however it is spaced', async () => {
    await using world = await governedWorld();
    await world.rule('deny', 'files.write   when x = 1');
    await world.rule('allow', ' files.write when x = 1');
    await world.rule('ask', 'files.write when x = 1', bob);
    expect(world.rules.list(alice).map(({ level, pattern }) => [level, pattern])).toEqual([
      ['allow', 'files.write when x = 1'],
    ]);
  });

  it('a damaged rule in the database closes the door and is shown', async () => {
    {
      await using world = await governedWorld({ path: path() });
      world.load([tool('write'), tool('read')]);
      for (const name of ['write', 'read']) await world.rule('allow', `files.${name}`);
      await world.rule('allow', 'time.*');
    }
    const db = foreignDatabase(path());
    db.exec("update rules set pin_json = '{' where pattern = 'files.write'");
    db.exec("update rules set level = 'permit' where pattern = 'files.read'");
    db.exec("update rules set pattern = 'time.* if late' where pattern = 'time.*'");
    db.close();
    await using world = await governedWorld({ path: path() });
    world.load([tool('write'), tool('read'), tool('other')]);
    world.load([tool('now')], { key: 'time' as never });
    const names = ['files__write', 'files__read', 'time__now'];
    const ends = await Promise.all(names.map(name => endOf(world.call(name))));
    expect(ends).toEqual(['denied', 'denied', 'denied']);
    expect(await endOf(world.call('files__other', {}, { patience: 0 }))).toBe('approval-pending');
    expect(world.rules.list(alice).map(({ state }) => state)).toEqual(['unreadable', 'unreadable', 'unreadable']);
  });

  it('R42: permission for one tool that is there is pinned to what it is; a pattern for many is not', async () => {
    await using world = await governedWorld();
    world.load([tool('write'), tool('read')]);
    await world.rule('allow', 'files.write');
    await world.rule('allow', 'files.rea*');
    world.reload([tool('write', { description: 'new' }), tool('read', { description: 'new' })]);
    expect(await endOf(world.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
    expect(await endOf(world.call('files__read', {}, { patience: 0 }))).toBe('ok');
    expect(world.rules.list(alice).map(({ state }) => state)).toEqual(['schema-changed', 'active']);
  });

  it("openHost's rules hold for every agent, are not stored and cannot be removed", async () => {
    {
      await using world = await governedWorld({ path: path(), rules: [{ level: 'deny', pattern: 'files.write' }] });
      world.load([tool('write')]);
      world.load([tool('write')], { agent: bob });
      await world.rule('allow', 'files.*');
      expect(await endOf(world.call('files__write'))).toBe('denied');
      expect(await endOf(world.call('files__write', {}, { agentId: bob }))).toBe('denied');
      const [host] = world.rules.list(alice);
      if (!host) throw new Error('it is listed');
      expect(await endOf(world.rules.remove(world.operator, alice, host.id))).toBe('usage');
    }
    await using world = await governedWorld({ path: path() });
    expect(world.rules.list(alice).map(({ level }) => level)).toEqual(['allow']);
  });

  it('why names the deciding rule and the one it beat', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    await world.rule('allow', 'files.write');
    await world.rule('deny', 'files.* when path startsWith /etc/');
    const handle = world.registry.lookup(alice, 'files__write');
    if (!handle) throw new Error('it is mounted');
    expect(world.rules.why(handle, 'library', { path: '/etc/x' })).toMatchObject({
      level: 'deny',
      rule: { pattern: 'files.* when path startsWith /etc/' },
      beat: { pattern: 'files.write' },
    });
    expect(world.rules.why(handle, 'library', { path: '/srv/x' })).toMatchObject({ level: 'allow', beat: undefined });
  });

  it.each(['allow', 'deny'] as const)(
    'T1: %s is not in force, not even for a tick, where it cannot be recorded',
    async level => {
      await using world = await governedWorld({ otherwise: level === 'allow' ? 'deny' : 'allow' });
      world.load([tool('write')]);
      const before = world.rules.policy;
      const seen: unknown[] = [];
      world.rules.onChanged(() => seen.push(world.rules.policy));
      world.breakAudit();
      const adding = endOf(world.rule(level, 'files.write'));
      for (let tick = 0; tick < 50; tick += 1) {
        expect(world.rules.policy).toBe(before);
        await new Promise(resolve => setImmediate(resolve));
      }
      expect(await adding).toBe('cannot-record');
      expect([world.rules.policy, seen]).toEqual([before, []]);
      expect(await world.store.rules.all()).toEqual([]);
    },
  );

  it('two changes of the same rule at once end the same in memory and on disk', async () => {
    {
      await using world = await governedWorld({ path: path() });
      await Promise.all(
        (['allow', 'deny', 'ask', 'deny', 'allow', 'always-ask'] as const).map(level => world.rule(level, 'files.*')),
      );
      expect(world.rules.list(alice).map(({ level }) => level)).toEqual(['always-ask']);
    }
    await using world = await governedWorld({ path: path() });
    expect(world.rules.list(alice).map(({ level }) => level)).toEqual(['always-ask']);
  });
});

import { describe, expect, it } from 'vitest';
import { alice, endOf, files, governedWorld, tool } from '../../test/fixtures/governed-world.ts';
import { type CallerScope, emptyScope, wholeScope } from '../core/caller-scope.ts';
import { serverKey } from '../core/ids.ts';

const caller = 'client:claude' as const;
const scoped = (more: Partial<CallerScope>) => () => ({ ...wholeScope, ...more });
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (error as Error).message,
  );

describe('calls of a caller with a scope', () => {
  it('reach what is in it; what is out of it is refused as if it were not there, and recorded as what it is', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.load([tool('read', { annotations: { readOnlyHint: true } }), tool('write')]);
    const scope = scoped({ risk: 'read-only' });
    expect(await endOf(world.call('files__read', {}, { caller, scope }))).toBe('ok');
    const hidden = await messageOf(world.call('files__write', {}, { caller, scope }));
    const unknown = await messageOf(world.call('files__wrote', {}, { caller, scope }));
    expect(hidden.replace('files__write', '')).toBe(unknown.replace('files__wrote', ''));
    expect(world.sent().map(operation => operation.wireName)).toEqual(['read']);
    await world.recorded();
    const rows = (await world.rows()).filter(row => row.status === 'unknown-tool');
    expect(rows.map(({ decision, owner_key, subject }) => ({ decision, owner_key, subject }))).toEqual([
      { decision: 'out_of_scope', owner_key: 'files', subject: null },
      { decision: 'blocked', owner_key: null, subject: 'files__wrote' },
    ]);
  });

  it('are refused by a handle object, too, and never wake a server', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.load([tool('write')]);
    const [write] = world.registry.list(alice);
    world.sleep();
    const woken = world.connections.length;
    for (const asked of ['files__write', write ?? '']) {
      expect(await endOf(world.call(asked, {}, { caller, scope: scoped({ servers: ['other'] }) }))).toBe(
        'unknown-tool',
      );
    }
    expect(world.connections.length).toBe(woken);
  });

  it('say the same whatever of the scope keeps them out', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.load([tool('write')]);
    const limits: readonly Partial<CallerScope>[] = [
      { servers: [] },
      { tools: ['*.read'] },
      { risk: 'read-only' },
      emptyScope,
    ];
    const messages = await Promise.all(
      limits.map(limit => messageOf(world.call('files__write', {}, { caller, scope: scoped(limit) }))),
    );
    expect(new Set(messages).size).toBe(1);
  });

  it('do not run when the scope was narrowed while they waited for the operator, not even once approved', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    let scope: CallerScope = wholeScope;
    const call = endOf(world.call('files__write', {}, { caller, scope: () => scope }));
    const { id } = await world.question();
    scope = { ...wholeScope, servers: [] };
    await world.approvals.decide(world.operator, alice, id, { approve: true, scope: 'once' });
    expect(await call).toBe('unknown-tool');
    expect(world.sent()).toEqual([]);
  });

  it('of a rule that denies are told so, with its reason: a scope hides, a rule refuses', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.load([tool('write')]);
    await world.rule('deny', 'files.write');
    expect(await endOf(world.call('files__write', {}, { caller, scope: scoped({}) }))).toBe('denied');
    expect(await endOf(world.call('files__write', {}, { caller, scope: scoped({ servers: [] }) }))).toBe(
      'unknown-tool',
    );
  });

  it('without a scope reach all but the managing of servers, and with one that only where it manages', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.load([tool('load')], { key: serverKey('longshore') });
    world.load([tool('write')], { key: files });
    expect(await endOf(world.call('files__write'))).toBe('ok');
    expect(await endOf(world.call('longshore__load'))).toBe('unknown-tool');
    expect(await endOf(world.call('longshore__load', {}, { caller, scope: scoped({}) }))).toBe('unknown-tool');
    const asked = world.call('longshore__load', {}, { caller, scope: scoped({ manages: true }), patience: 0 });
    expect(await endOf(asked)).toBe('approval-pending');
  });
});

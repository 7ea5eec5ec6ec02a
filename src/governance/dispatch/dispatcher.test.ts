import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { alice, bob, endOf, files, governedWorld, tool } from '../../../test/fixtures/governed-world.ts';
import { systemClock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { type RuleId, randomId, serverKey } from '../../core/ids.ts';
import { argumentGuard } from './argument-guard.ts';
import { createDispatch } from './dispatcher.ts';
import { outputCheck } from './output-check.ts';

describe('dispatch', () => {
  it('sends an allowed call as it is and gives the result back verbatim', async () => {
    await using world = await governedWorld();
    const answer = { content: [{ type: 'text', text: 'hi' }], odd: { kept: true } };
    const connection = world.load([tool('read')], { answer: () => answer });
    await world.rule('allow', 'files.read');
    const { result, warnings } = await world.call('files__read', { path: '/x' }, { meta: { traceparent: 'tp' } });
    expect(result).toBe(answer);
    expect(warnings).toEqual([]);
    expect(connection.sent).toMatchObject([
      {
        method: 'tools/call',
        wireName: 'read',
        arguments: { path: '/x' },
        epoch: connection.epoch,
        meta: { traceparent: 'tp' },
      },
    ]);
  });

  it('tells whoever called a tool that its arguments were hardly checked, because its schema cannot be used', async () => {
    await using world = await governedWorld();
    const inputSchema = { type: 'object', properties: { a: { $ref: 'https://example.com/x.json' } } };
    world.load([tool('odd', { inputSchema })]);
    await world.rule('allow', 'files.*');
    for (const time of ['first', 'second']) {
      const { warnings } = await world.call('files__odd', { a: time });
      expect(warnings).toMatchObject([{ code: 'unusable-schema', message: expect.stringContaining('elsewhere') }]);
    }
  });

  it('S9: a result of 300,000 items that ran is told as a result', async () => {
    await using world = await governedWorld();
    const content = Array.from({ length: 300_000 }, () => ({ type: 'text', text: '' }));
    world.load([tool('read')], { answer: () => ({ content }) });
    await world.rule('allow', 'files.read');
    expect((await world.call('files__read')).result['content']).toBe(content);
    await world.recorded();
    expect((await world.rows()).map(row => row.status).filter(Boolean)).toEqual(['ok']);
  });

  it('S1: load, ask, approve, call, unload: one question, one call, both rows', async () => {
    await using world = await governedWorld();
    const connection = world.load([tool('write')]);
    const call = world.call('files__write', { path: '/srv/x' });
    const question = await world.question();
    expect(question).toMatchObject({
      caller: 'library',
      args: '{"path":"/srv/x"}',
      scopes: ['once', 'session', 'always'],
    });
    expect(connection.sent).toEqual([]);
    await world.approvals.decide(world.operator, alice, question.id, { approve: true });
    const { dispatchId } = await call;
    expect(connection.sent.length).toBe(1);
    world.unload();
    expect(await endOf(world.call('files__write'))).toBe('unknown-tool');
    await world.recorded();
    const rows = (await world.rows()).filter(row => row.dispatch_id === dispatchId && row.kind !== 'change');
    expect(rows.map(({ kind, decision, status, approval_id }) => [kind, decision, status, approval_id])).toEqual([
      ['authorisation', 'user_approved', null, question.id],
      ['outcome', 'user_approved', 'ok', question.id],
    ]);
  });

  it('S2: a reload fails both calls that wait on it at once, and leaves another server alone', async () => {
    await using world = await governedWorld();
    const time = serverKey('time');
    world.load([tool('write'), tool('read')]);
    const other = world.load([tool('now')], { key: time });
    const waiting = [world.call('files__write'), world.call('files__read'), world.call('time__now')];
    const ends = waiting.map(endOf);
    await world.questions(3);
    const questions = world.approvals.open(alice);
    world.reload();
    expect(await Promise.all(ends.slice(0, 2))).toEqual(['stale-handle', 'stale-handle']);
    const [late, , kept] = questions;
    if (!late || !kept) throw new Error('three were asked');
    const decide = (id: typeof late.id) =>
      endOf(world.approvals.decide(world.operator, alice, id, { approve: true, scope: 'always' }));
    expect(await decide(late.id)).toBe('stale-handle');
    expect(world.rules.list(alice)).toEqual([]);
    expect(await decide(kept.id)).toBe('ok');
    expect(await ends[2]).toBe('ok');
    expect(world.sent()).toEqual(other.sent);
    await world.recorded();
    expect((await world.rows()).filter(row => row.decision === 'handle_invalidated').length).toBe(2);
  });

  it('S3: a deny holds for every caller and every way, after an always and a session, and each refusal is recorded', async () => {
    await using world = await governedWorld();
    const connection = world.load([tool('write')]);
    for (const [caller, scope] of [
      ['library', 'session'],
      ['client:cursor', 'always'],
    ] as const) {
      const call = world.call('files__write', {}, { caller });
      const { id } = await world.question();
      await world.approvals.decide(world.operator, alice, id, { approve: true, scope });
      await call;
    }
    const before = connection.sent.length;
    await world.rule('allow', '*', bob);
    await world.rule('deny', 'files.write');
    const [handle] = world.registry.list(alice);
    if (!handle) throw new Error('it is mounted');
    const ends = await Promise.all([
      endOf(world.call('files__write')),
      endOf(world.call(handle)),
      endOf(world.call('files__write', {}, { caller: 'operator' })),
      endOf(world.call('files__write', {}, { caller: 'client:cursor' })),
      endOf(world.call('files__write', { other: 'arguments' }, { patience: 0 })),
    ]);
    expect(ends).toEqual(['denied', 'denied', 'denied', 'denied', 'denied']);
    expect(connection.sent.length).toBe(before);
    await world.recorded();
    const denials = (await world.rows()).filter(row => row.decision === 'auto_denied');
    expect(denials.map(row => [row.kind, row.status, row.handle_name])).toEqual(
      Array.from({ length: 5 }, () => ['outcome', 'denied', 'files__write']),
    );
  });

  it('S4: what one agent denies, another may call; unloading the one leaves the other', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    const bobs = world.load([tool('write')], { agent: bob });
    await world.rule('deny', 'files.*');
    await world.rule('allow', 'files.*', bob);
    expect(await endOf(world.call('files__write'))).toBe('denied');
    world.unload();
    expect(await endOf(world.call('files__write', {}, { agentId: bob }))).toBe('ok');
    expect(world.rules.list(bob).map(rule => rule.level)).toEqual(['allow']);
    const [handle] = world.registry.list(bob);
    if (!handle) throw new Error('it is mounted');
    expect(await endOf(world.call(handle))).toBe('stale-handle');
    expect(bobs.sent.length).toBe(1);
  });

  it('R40: refuses a handle from before a reload without sending anything', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    const first = world.load([tool('read')]);
    const [old] = world.registry.list(alice);
    if (!old) throw new Error('it is mounted');
    await world.call(old);
    const second = world.reload();
    expect(await endOf(world.call(old))).toBe('stale-handle');
    expect(await endOf(world.call('files__read'))).toBe('ok');
    expect([first.sent.length, second.sent.length]).toEqual([1, 1]);
  });

  it('R40: re-checks in the tick of the write: withdrawn while its row was committed, a call is not sent', async () => {
    const world = await governedWorld({ otherwise: 'allow' });
    await using _ = world;
    const connection = world.load([tool('read')]);
    const call = endOf(world.call('files__read'));
    // The authorisation row is committed in the check phase; this withdrawal comes just before the call goes on.
    await new Promise<void>(resolve => {
      setImmediate(() => {
        world.unload();
        resolve();
      });
    });
    expect(await call).toBe('stale-handle');
    expect(connection.sent).toEqual([]);
  });

  it('wakes a sleeping server, keeps its session permission, and asks anew where the definition changed', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    const first = world.call('files__write');
    const question = await world.question();
    await world.approvals.decide(world.operator, alice, question.id, { approve: true, scope: 'session' });
    await first;
    const [awake] = world.registry.list(alice);
    if (!awake) throw new Error('it is mounted');
    world.sleep();
    expect(world.registry.lookup(alice, 'files__write')?.epoch).toBeNull();
    expect(await endOf(world.call(awake))).toBe('ok');
    world.sleep([tool('write', { description: 'something else' })]);
    expect(await endOf(world.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
    expect(world.sent().length).toBe(2);
  });

  it('R42: a session permission ends with a reload, an always holds for the same definition only and shows the difference', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    async function approve(scope: 'session' | 'always') {
      const call = world.call('files__write');
      const { id } = await world.question();
      await world.approvals.decide(world.operator, alice, id, { approve: true, scope });
      await call;
    }
    await approve('session');
    expect(await endOf(world.call('files__write', { n: 1 }))).toBe('ok');
    world.reload();
    expect(await endOf(world.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
    world.reload();
    await approve('always');
    world.reload();
    expect(await endOf(world.call('files__write', {}, { patience: 0 }))).toBe('ok');
    world.reload([tool('write', { inputSchema: { type: 'object', properties: { force: { type: 'boolean' } } } })]);
    expect(world.rules.list(alice).map(rule => rule.state)).toEqual(['schema-changed']);
    expect(await endOf(world.call('files__write', {}, { patience: 0 }))).toBe('approval-pending');
    expect((await world.question()).changed).toEqual([
      { path: 'inputSchema.properties', after: { force: { type: 'boolean' } } },
    ]);
  });

  it('an approval whose caller gave up is claimed once, by the next identical call', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    expect(await endOf(world.call('files__write', { a: 1, b: 2 }, { patience: 0 }))).toBe('approval-pending');
    const question = await world.question();
    expect(question.state.name).toBe('awaiter-gone');
    await world.approvals.decide(world.operator, alice, question.id, { approve: true });
    const more = { patience: 0 };
    expect(await endOf(world.call('files__write', { a: 1, b: 3 }, more))).toBe('approval-pending');
    expect(await endOf(world.call('files__write', { a: 1, b: 2 }, { ...more, caller: 'client:x' }))).toBe(
      'approval-pending',
    );
    expect(await endOf(world.call('files__write', { b: 2, a: 1 }, more))).toBe('ok');
    expect(await endOf(world.call('files__write', { a: 1, b: 2 }, more))).toBe('approval-pending');
    expect(world.sent().length).toBe(1);
  });

  it('an identical call takes up the question that another left behind', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    const leaving = new AbortController();
    const first = endOf(world.call('files__write', { a: 1 }, { signal: leaving.signal }));
    const { id } = await world.question();
    leaving.abort();
    expect(await first).toBe('cancelled');
    const second = endOf(world.call('files__write', { a: 1 }));
    await new Promise(resolve => setImmediate(resolve));
    expect(world.approvals.open(alice).map(one => [one.id, one.state.name])).toEqual([[id, 'pending']]);
    await world.approvals.decide(world.operator, alice, id, { approve: true });
    expect(await second).toBe('ok');
  });

  it('a rule that answers while calls wait lets them go on or refuses them, without a click', async () => {
    await using world = await governedWorld();
    world.load([tool('write'), tool('read')]);
    const ends = [endOf(world.call('files__write')), endOf(world.call('files__read'))];
    await world.questions(2);
    await world.rule('allow', 'files.read');
    await world.rule('deny', 'files.write');
    expect(await Promise.all(ends)).toEqual(['denied', 'ok']);
    expect(world.approvals.open(alice)).toEqual([]);
  });

  it('decides again after the wait: a deny that came just behind the yes holds, and the yes is given back unused', async () => {
    await using world = await governedWorld();
    const connection = world.load([tool('write')]);
    let denied: { readonly id: RuleId } | undefined;
    const dispatch = createDispatch({
      ...world,
      clock: systemClock,
      randomId,
      guard: argumentGuard(),
      output: outputCheck(),
      isOpen: () => true,
      approvals: {
        ...world.approvals,
        /** Answers late, as on a busy machine. */
        async ask(...asked) {
          const grant = await world.approvals.ask(...asked);
          denied = await world.rule('deny', 'files.write');
          return grant;
        },
      },
    });
    const call = { agentId: alice, caller: 'library', handle: 'files__write', arguments: { a: 1 } } as const;
    const { signal } = new AbortController();
    const first = endOf(dispatch(call, signal));
    await world.approvals.decide(world.operator, alice, (await world.question()).id, { approve: true });
    expect(await first).toBe('denied');
    expect(connection.sent).toEqual([]);
    if (denied) await world.rules.remove(world.operator, alice, denied.id);
    expect(await endOf(dispatch(call, signal))).toBe('ok');
    await world.recorded();
    const rows = (await world.rows()).filter(row => row.kind !== 'change');
    expect(rows.map(({ kind, decision }) => [kind, decision])).toEqual([
      ['outcome', 'auto_denied'],
      ['authorisation', 'user_approved'],
      ['outcome', 'user_approved'],
    ]);
  });

  it('a deny that came into force while the row was written holds as well', async () => {
    const gate = Promise.withResolvers<void>();
    const inForce = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let slow = false;
    await using world = await governedWorld({
      otherwise: 'allow',
      between: store => ({
        ...store,
        rules: {
          ...store.rules,
          async put(rule) {
            reached.resolve();
            await gate.promise;
            await store.rules.put(rule);
          },
        },
        audit: {
          ...store.audit,
          async append(rows) {
            await store.audit.append(rows);
            if (!slow || !rows.some(row => row.kind === 'authorisation')) return;
            gate.resolve();
            await inForce.promise;
          },
        },
      }),
    });
    const connection = world.load([tool('write')]);
    await world.call('files__write');
    const rule = world.rule('deny', 'files.write').then(() => inForce.resolve());
    await reached.promise;
    slow = true;
    expect(await endOf(world.call('files__write'))).toBe('denied');
    await rule;
    expect(connection.sent.length).toBe(1);
  });

  it('U9, Q14: notes in the question and in the record what does not fit the schema, and passes it on', async () => {
    await using world = await governedWorld();
    const inputSchema = { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } };
    const connection = world.load([tool('write', { inputSchema })]);
    const call = world.call('files__write', { path: '/x', limit: null });
    const { id, misfits } = await world.question();
    expect(misfits).toEqual(['limit must be integer']);
    await world.approvals.decide(world.operator, alice, id, { approve: true });
    await call;
    expect(connection.sent.at(-1)?.arguments).toEqual({ path: '/x', limit: null });
    await world.recorded();
    const authorised = (await world.rows()).find(row => row.kind === 'authorisation');
    expect(authorised?.message).toBe("The arguments do not fit the tool's own schema: limit must be integer.");
  });

  it('checks arguments before anybody is asked, and tells the operator nothing of a call that cannot be', async () => {
    await using world = await governedWorld();
    const schema = { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false };
    world.load([tool('write', { inputSchema: schema })]);
    expect(await endOf(world.call('files__write', { pth: '/x' }))).toBe('bad-arguments');
    expect(await endOf(world.call('files__write', [] as never))).toBe('bad-arguments');
    await world.rule('deny', 'files.write when path = /x');
    expect(await endOf(world.call('files__write', [] as never))).toBe('denied');
    expect(world.approvals.open(alice)).toEqual([]);
  });

  it('what is sent is what was approved, whatever the caller does to its arguments meanwhile', async () => {
    await using world = await governedWorld();
    const connection = world.load([tool('pay')]);
    const args = { amount: 1, to: { name: 'alice' } };
    const call = world.call('files__pay', args);
    args.amount = 1000;
    args.to.name = 'mallory';
    const question = await world.question();
    expect(question.args).toBe('{"amount":1,"to":{"name":"alice"}}');
    args.amount = 2000;
    await world.approvals.decide(world.operator, alice, question.id, { approve: true });
    await call;
    expect(connection.sent[0]?.arguments).toEqual({ amount: 1, to: { name: 'alice' } });
  });

  it('B9: without its authorisation row on disk a call does not happen', async () => {
    const world = await governedWorld({ otherwise: 'allow' });
    await using _ = world;
    const connection = world.load([tool('read')]);
    await world.call('files__read');
    await world.store.close();
    expect(await endOf(world.call('files__read'))).toBe('cannot-record');
    await world.store.close();
    expect(connection.sent.length).toBe(1);
  });

  it('R64: a slow call holds up neither its own server nor another', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    const release = Promise.withResolvers<void>();
    let running = 0;
    world.load([tool('slow')], {
      async answer() {
        running += 1;
        await release.promise;
        return { content: [] };
      },
    });
    world.load([tool('now')], { key: serverKey('time') });
    const slow = Array.from({ length: 20 }, () => world.call('files__slow'));
    expect(await endOf(world.call('time__now'))).toBe('ok');
    expect(running).toBe(20);
    expect(world.registry.holds.busy(alice, files)).toBe(true);
    release.resolve();
    await Promise.all(slow);
    expect(world.registry.holds.busy(alice, files)).toBe(false);
  });

  it("Q7: passes a server's own error on as it is, but for values that are known to be secret", async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    world.redactor.learn([{ name: 'TOKEN', value: 'canary-4711' }]);
    const url = 'https://idp.example/authorize?state=s1&token=tok-12345678';
    const lookalikes = {
      nextPageToken: 'abc123',
      key: { column: 'id' },
      primary_key: 'id',
      password_policy: 'min 8',
      url,
    };
    const whole = { long: 'y'.repeat(20_000), list: Array.from({ length: 300 }, (_, index) => index) };
    const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`);
    const message = 'Token expired: unexpected token sk-abc, key=PRIMARY';
    world.load([tool('read')], {
      answer() {
        const data = { ...lookalikes, ...whole, deep, 'canary-4711': ['canary-4711'] };
        throw new LongshoreError('server-error', `${message} canary-4711`, { data: { code: -32_042, data } });
      },
    });
    expect(await world.call('files__read').catch((error: unknown) => error)).toMatchObject({
      message: `${message} [masked]`,
      data: { code: -32_042, data: { ...lookalikes, ...whole, deep, '[masked]': ['[masked]'] } },
    });
    await world.recorded();
    expect(inspect(await world.rows(), { depth: 9 })).not.toContain('canary');
  });

  it('a failing tool is a result; a failing server is an error; both are recorded', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    const outcomes = ['tool', 'server', 'lost'];
    world.redactor.learn([{ name: 'TOKEN', value: 'canary-4711' }]);
    world.load([tool('read')], {
      answer() {
        const next = outcomes.shift();
        if (next === 'tool') return { content: [], isError: true };
        if (next === 'server') throw new LongshoreError('server-error', 'no: token=canary-4711');
        throw new LongshoreError('unknown-outcome', 'lost');
      },
    });
    const { result } = await world.call('files__read');
    expect(result['isError']).toBe(true);
    const failure = await world.call('files__read').catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'server-error',
      message: 'no: token=[masked]',
      data: { dispatchId: expect.any(String) },
    });
    expect(inspect(failure, { depth: 9 })).not.toContain('canary');
    expect(await endOf(world.call('files__read'))).toBe('unknown-outcome');
    await world.recorded();
    const rows = await world.rows();
    expect(rows.filter(row => row.kind === 'outcome').map(row => row.status)).toEqual([
      'tool-error',
      'server-error',
      'unknown-outcome',
    ]);
    expect(JSON.stringify(rows)).not.toContain('canary');
  });

  it('records a name that leads nowhere, masked', async () => {
    await using world = await governedWorld();
    world.redactor.learn([{ name: 'A_KEY', value: 'canary-55' }]);
    expect(await endOf(world.call('files__canary-55'))).toBe('unknown-tool');
    await world.recorded();
    const [row] = await world.rows();
    expect(row).toMatchObject({ kind: 'outcome', decision: 'blocked', status: 'unknown-tool', handle_name: null });
    expect(row?.subject).toBe('files__[masked]');
  });

  it('reads resources and asks for prompts through the same door', async () => {
    await using world = await governedWorld({ otherwise: 'allow' });
    const connection = world.load([tool('read')]);
    const { epoch, protocolVersion } = connection;
    const offer = { agentId: alice, serverKey: files, epoch, protocolVersion, tools: [tool('read')] };
    const { registryMount } = await import('../registry/registry-mount.ts');
    registryMount(world.registry).mount(
      { ...offer, resources: [{ name: 'notes', uri: 'file:///notes' }], templates: [], prompts: [{ name: 'read' }] },
      'list-changed',
    );
    const resource = world.registry.list(alice, { kind: 'resource' })[0];
    if (!resource) throw new Error('it is mounted');
    await world.call(resource);
    await world.call('files__read', { topic: 'x' }, { kind: 'prompt' });
    expect(connection.sent.map(({ method, wireName }) => [method, wireName])).toEqual([
      ['resources/read', 'file:///notes'],
      ['prompts/get', 'read'],
    ]);
    await world.rule('deny', 'files.file:///*');
    expect(await endOf(world.call(resource))).toBe('denied');
  });

  it('once the host stops, nothing new begins and what waits is told so', async () => {
    await using world = await governedWorld();
    world.load([tool('write')]);
    const waiting = endOf(world.call('files__write'));
    await world.question();
    world.stop();
    expect(await waiting).toBe('server-closing');
    expect(await endOf(world.call('files__write'))).toBe('server-closing');
  });
});

import { describe, expect, it } from 'vitest';
import { alice, endOf, files, governedWorld, tool } from '../../../test/fixtures/governed-world.ts';
import { type CallerScope, wholeScope } from '../../core/caller-scope.ts';
import type { Definition, Level } from '../../core/words.ts';
import { registryMount } from '../registry/registry-mount.ts';

const template: Definition = { name: 'file', uriTemplate: 'file:///{+path}' };
const listed: Definition = { name: 'listed', uri: 'file:///listed' };
const signal = new AbortController().signal;

/** A world with a server that has a listed resource and a template. */
async function world(otherwise: Level) {
  const made = await governedWorld({ otherwise });
  const { epoch, protocolVersion } = made.load([tool('read')]);
  const offer = { agentId: alice, serverKey: files, epoch, protocolVersion, tools: [], prompts: [] };
  registryMount(made.registry).mount({ ...offer, resources: [listed], templates: [template] }, 'list-changed');
  let scope: CallerScope = wholeScope;
  const ended: string[] = [];
  const subscribe = (uri: string) => {
    const kind = uri === listed['uri'] ? 'resource' : 'template';
    const [handle] = made.registry.list(alice, { kind });
    if (handle === undefined) throw new Error('it is mounted');
    const request = { agentId: alice, caller: 'client:x', scope: () => scope, handle, uri } as const;
    return made.subscriptions.subscribe(request, signal, () => ended.push(uri));
  };
  return Object.assign(made, {
    subscribe,
    ended,
    reach(next: CallerScope) {
      scope = next;
      made.subscriptions.recheck();
    },
    async decisions() {
      await made.recorded();
      return (await made.rows())
        .filter(({ kind }) => kind !== 'change')
        .map(({ decision, status }) => decision ?? status);
    },
  });
}

describe('a subscription', () => {
  it('is a use of its resource like a read: allowed and recorded, or refused in every reading of its URI', async () => {
    await using it = await world('allow');
    await it.rules.add(it.operator, { agentId: alice, level: 'deny', pattern: 'files.file:///secret/*' });
    for (const uri of ['file:///secret/a', 'file:///%73ecret/a', 'file:///pub/../secret/a', 'file:///./secret/a']) {
      expect([uri, await endOf(it.subscribe(uri))]).toEqual([uri, 'denied']);
    }
    expect(it.subscribed).toEqual([]);
    const one = await it.subscribe('file:///pub/a');
    await it.subscribe('file:///listed');
    expect(it.subscribed).toEqual(['files file:///pub/a', 'files file:///listed']);
    await one[Symbol.asyncDispose]();
    expect(it.subscribed).toEqual(['files file:///listed']);
    const decisions = await it.decisions();
    expect(decisions.filter(decision => decision === 'auto_denied')).toHaveLength(4);
    expect(decisions.filter(decision => decision === 'auto_allowed')).toHaveLength(4);
  });

  it('is never asked about: where a call would ask it is refused with the way to allow it', async () => {
    await using it = await world('ask');
    await expect(it.subscribe('file:///pub/a')).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining("longshore allow 'files.file:///pub/a'"),
    });
    expect(it.approvals.open(alice)).toEqual([]);
    await it.rules.add(it.operator, { agentId: alice, level: 'allow', pattern: 'files.file:///pub/*' });
    await it.subscribe('file:///pub/a');
    expect(it.subscribed).toHaveLength(1);
  });

  it('ends when a rule or the reach of its token allows it no more', async () => {
    await using it = await world('allow');
    await it.subscribe('file:///pub/a');
    await it.subscribe('file:///listed');
    await it.rules.add(it.operator, { agentId: alice, level: 'deny', pattern: 'files.file:///pub/*' });
    expect([it.ended, it.subscribed]).toEqual([['file:///pub/a'], ['files file:///listed']]);
    it.reach({ ...wholeScope, servers: [] });
    expect([it.ended.length, it.subscribed]).toEqual([2, []]);
    expect(await endOf(it.subscribe('file:///listed'))).toBe('unknown-tool');
  });

  it('reaches its server with a leave of its own, for that resource and connection alone', async () => {
    await using it = await world('allow');
    const { epoch } = it.registry.list(alice)[0] ?? {};
    await it.subscribe('file:///pub/a');
    expect(it.sent()).toMatchObject([
      { method: 'resources/subscribe', wireName: 'file:///pub/a', caller: 'client:x', epoch },
    ]);
  });

  it('does not happen where it cannot be recorded', async () => {
    await using it = await world('allow');
    it.breakAudit();
    expect(await endOf(it.subscribe('file:///listed'))).toBe('cannot-record');
    expect(it.subscribed).toEqual([]);
  });
});

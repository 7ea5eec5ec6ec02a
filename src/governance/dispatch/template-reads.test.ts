import { describe, expect, it } from 'vitest';
import { alice, endOf, files, governedWorld, tool } from '../../../test/fixtures/governed-world.ts';
import { type CallerScope, wholeScope } from '../../core/caller-scope.ts';
import type { Epoch } from '../../core/ids.ts';
import { isLinkedResource, linkedResource } from '../../core/linked-resource.ts';
import type { Definition } from '../../core/words.ts';
import { registryMount } from '../registry/registry-mount.ts';

const note: Definition = { name: 'note', uriTemplate: 'note://{name}' };
const listed: Definition = { name: 'listed', uri: 'note://listed' };

/** A world with a server that has a template, a listed resource, a prompt, and what it does not list. */
async function world(otherwise: 'allow' | 'ask' = 'allow', more: readonly Definition[] = []) {
  const made = await governedWorld({ otherwise });
  const { epoch, protocolVersion } = made.load([tool('read')]);
  const offer = { agentId: alice, serverKey: files, epoch, protocolVersion };
  registryMount(made.registry).mount(
    {
      ...offer,
      tools: [],
      resources: [listed],
      templates: [note, linkedResource, ...more],
      prompts: [{ name: 'letter' }],
    },
    'list-changed',
  );
  const [template, linked] = made.registry.list(alice, { kind: 'template' });
  if (template === undefined || linked === undefined) throw new Error('they are mounted');
  const sent = () => made.sent().map(({ method, wireName, completes }) => ({ method, wireName, completes }));
  const typed = { argument: { name: 'name', value: 'a' }, context: { arguments: { to: 'b' } } };
  return Object.assign(made, {
    template,
    linked,
    reads: () => sent().map(({ method, wireName }) => [method, wireName]),
    completed: () => sent().map(({ completes }) => completes),
    async recordedCalls() {
      await made.recorded();
      return (await made.rows()).filter(({ kind }) => kind !== 'change');
    },
    read: (uri: string, handle = template) => made.call(handle, { uri }),
    type: (handle: string, kind: 'template' | 'prompt' | 'tool' | 'resource', completes = typed) =>
      made.call(handle, {}, { kind, completes }),
  });
}

describe('reading by way of a template', () => {
  it('is sent as a read of that URI, and recorded with it', async () => {
    await using it = await world();
    await it.read('note://today');
    await it.read('other://anything', it.linked);
    expect(it.reads()).toEqual([
      ['resources/read', 'note://today'],
      ['resources/read', 'other://anything'],
    ]);
    expect(await it.recordedCalls()).toMatchObject([
      { handle_kind: 'template', wire_name: 'note://{name}', decision: 'auto_allowed' },
      { handle_kind: 'template', status: 'ok' },
      { handle_kind: 'template', wire_name: '{+uri}' },
      { handle_kind: 'template', status: 'ok' },
    ]);
  });

  it('R48: what is not listed has a name of its own, always with its server before it', async () => {
    await using it = await world();
    expect(it.linked.handleName).toBe('files__linked_resource');
    expect([it.template, it.linked].map(isLinkedResource)).toEqual([false, true]);
  });

  it.each([[{ uri: 'other://today' }], [{ uri: 'note://a/b' }], [{}], [{ uri: 7 }]])(
    'is refused before anybody is asked, where the URI is no URI of it: %j',
    async args => {
      await using it = await world('ask');
      expect(await endOf(it.call(it.template, args))).toBe('bad-arguments');
      expect(it.reads()).toEqual([]);
    },
  );

  it('of what is listed is governed as what is listed', async () => {
    await using it = await world();
    await it.read('note://listed');
    expect(await it.recordedCalls()).toMatchObject([{ handle_kind: 'resource', wire_name: 'note://listed' }, {}]);
    await it.rule('deny', 'resource files.note://listed');
    expect(await endOf(it.read('note://listed'))).toBe('denied');
    expect(await endOf(it.read('note://listed', it.linked))).toBe('denied');
    expect(await endOf(it.read('note://other'))).toBe('ok');
  });

  it.each([
    'files.note://secret*',
    'resource files.note://secret*',
    'resource files.*',
    'template files.*',
    'files__note*',
    '*',
    'files.* when uri startsWith note://secret',
  ])('R36: a denial of %s holds by whichever way', async pattern => {
    await using it = await world();
    await it.rule('deny', pattern);
    expect(await endOf(it.read('note://secret-1'))).toBe('denied');
    expect(await endOf(it.read('note://secret-1', it.linked))).toBe('denied');
    expect(it.reads()).toEqual([]);
  });

  it('is asked about each time where a rule says so about the URI', async () => {
    await using it = await world();
    await it.rule('always-ask', 'files.note://secret*');
    const call = endOf(it.read('note://secret-1'));
    await it.approvals.decide(it.operator, alice, (await it.question()).id, { approve: false });
    expect(await call).toBe('approval-rejected');
    expect(await endOf(it.read('note://open'))).toBe('ok');
  });

  it('is let pass by a rule about the URI where none speaks about the template', async () => {
    await using it = await world('ask');
    await it.rule('allow', 'files.note://open*');
    expect(await endOf(it.read('note://open-1'))).toBe('ok');
    expect(await endOf(it.call(it.template, { uri: 'note://closed' }, { patience: 0 }))).toBe('approval-pending');
  });
});

const secret = [
  'file:///secret/x',
  'file:///%73ecret/x',
  'file:///%2573ecret/x',
  'file:///./secret/x',
  'file:///pub/../secret/x',
  'file:////secret/x',
  'file:///pub%2F..%2Fsecret/x',
  'file:///pub\\..\\secret\\x',
  'file:\\\\\\secret\\x',
  'FILE:///secret/x',
  'file:/secret/x',
  'file://localhost/secret/x',
  'file:///SECRET/x',
  'file:///secret./x',
  'file:///s\tecret/x',
  'file:///secret',
  'file:///proc/self/root/secret/x',
  'file:///secret/%00',
];

describe('a rule about URIs', () => {
  it.each(secret)('S5: denies %j, whichever way it is read', async uri => {
    await using it = await world();
    await it.rule('deny', 'files.file:///secret/*');
    expect(await endOf(it.read(uri, it.linked))).toBe('denied');
    const { epoch, protocolVersion } = it.linked;
    const offer = { agentId: alice, serverKey: files, epoch: epoch as Epoch, protocolVersion, tools: [], prompts: [] };
    const resources = [{ name: 'x', uri }];
    registryMount(it.registry).mount({ ...offer, resources, templates: [] }, 'list-changed');
    const [resource] = it.registry.list(alice, { kind: 'resource' });
    if (resource === undefined) throw new Error('it is listed');
    expect(await endOf(it.call(resource))).toBe('denied');
    expect(it.rules.policy.forbids(resource, 'library')).toBe(true);
    expect(it.reads()).toEqual([]);
  });

  it.each(secret)('S5: lets %j pass under no permission for another folder', async uri => {
    await using it = await world('ask', [{ name: 'public', uriTemplate: 'file:///pub/{+path}' }]);
    await it.rule('allow', 'files.file:///pub/*');
    await it.rule('allow', 'template files.file:///pub/{+path}');
    expect(await endOf(it.call(it.linked, { uri }, { patience: 0 }))).toBe('approval-pending');
    const detour = uri.replace('file:///', 'file:///pub/../');
    const [, , template] = it.registry.list(alice, { kind: 'template' });
    expect(await endOf(it.call(template ?? '', { uri: detour }, { patience: 0 }))).not.toBe('ok');
    expect(await endOf(it.call(template ?? '', { uri: 'file:///pub/a.md' }))).toBe('ok');
    expect(it.reads()).toEqual([['resources/read', 'file:///pub/a.md']]);
  });

  it.each(['file:///pub/x', 'file:///pub/a%20b', 'note://today', 'https://h.example/secret/x'])(
    'S5: says nothing about %j, which is elsewhere',
    async uri => {
      await using it = await world();
      await it.rule('deny', 'files.file:///secret/*');
      expect(await endOf(it.read(uri, it.linked))).toBe('ok');
    },
  );

  it('S5: about what is listed holds for other spellings of its URI', async () => {
    await using it = await world();
    await it.rule('deny', 'files__note_listed*');
    const [resource] = it.registry.list(alice, { kind: 'resource' });
    await it.rule('deny', resource?.handleName ?? '');
    for (const uri of ['note://listed', 'note://list%65d', 'NOTE://listed', 'note://x@listed', 'note://listed/'])
      expect([uri, await endOf(it.read(uri, it.linked))]).toEqual([uri, 'denied']);
  });

  it('S5: a scope that reaches a template does not reach out of it', async () => {
    await using it = await world('allow', [{ name: 'public', uriTemplate: 'file:///pub/{+path}' }]);
    const scope = (): CallerScope => ({ ...wholeScope, tools: ['files.file:///pub/*'] });
    const [, , template] = it.registry.list(alice, { kind: 'template' });
    const read = (uri: string) => endOf(it.call(template ?? '', { uri }, { scope }));
    expect(await read('file:///pub/x')).toBe('ok');
    expect(await read('file:///pub/../secret/x')).toBe('unknown-tool');
    expect(await read('file:///pub/%2e%2e/secret/x')).toBe('unknown-tool');
  });
});

describe('completing an argument', () => {
  it('S5: is denied where what is filled in leads to what is denied', async () => {
    await using it = await world('allow', [{ name: 'any', uriTemplate: 'file:///{folder}/{+name}' }]);
    await it.rule('deny', 'files.file:///secret/*');
    const [, , any] = it.registry.list(alice, { kind: 'template' });
    const type = (folder: string, value: string) =>
      endOf(
        it.type(any?.handleName ?? '', 'template', {
          argument: { name: 'name', value },
          context: { arguments: { folder } } as never,
        }),
      );
    expect(await type('pub', 'a')).toBe('ok');
    expect(await type('secret', 'a')).toBe('denied');
    expect(await type('pub', '../secret/')).toBe('denied');
  });

  it('asks nobody, is sent with its reference, and is recorded', async () => {
    await using it = await world('ask');
    await it.type('files__letter', 'prompt');
    await it.type(it.template.handleName, 'template');
    expect(it.completed()).toEqual([
      {
        argument: { name: 'name', value: 'a' },
        context: { arguments: { to: 'b' } },
        ref: { type: 'ref/prompt', name: 'letter' },
      },
      {
        argument: { name: 'name', value: 'a' },
        context: { arguments: { to: 'b' } },
        ref: { type: 'ref/resource', uri: 'note://{name}' },
      },
    ]);
    expect(await it.recordedCalls()).toMatchObject([
      { kind: 'authorisation', handle_kind: 'prompt', decision: 'auto_allowed' },
      { kind: 'outcome', status: 'ok' },
      { kind: 'authorisation', handle_kind: 'template' },
      { kind: 'outcome', status: 'ok' },
    ]);
  });

  it('is denied where no call could pass, and only there', async () => {
    await using it = await world('ask');
    await it.rule('deny', 'prompt files.letter when to = boss');
    expect(await endOf(it.type('files__letter', 'prompt'))).toBe('ok');
    await it.rule('deny', 'prompt files.*');
    expect(await endOf(it.type('files__letter', 'prompt'))).toBe('denied');
    expect(it.completed()).toHaveLength(1);
  });

  it('is for prompts and templates alone', async () => {
    await using it = await world();
    const [resource] = it.registry.list(alice, { kind: 'resource' });
    expect(await endOf(it.type(resource?.handleName ?? '', 'resource'))).toBe('bad-arguments');
  });
});

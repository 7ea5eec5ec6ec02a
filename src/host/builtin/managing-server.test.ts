import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CortexHome, cortexHome, fixtureServer } from '../../../test/fixtures/cortex-home.ts';
import { type CallerScope, wholeScope } from '../../core/caller-scope.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RawResult } from '../../core/words.ts';
import type { ClientCaller } from '../../store/callers.ts';

let home: CortexHome;
beforeEach(async () => {
  // No engine is to be asked for images that are made up.
  home = await cortexHome({ env: { ...process.env, DOCKER_HOST: 'tcp://127.0.0.1:9' } });
});
afterEach(() => home[Symbol.asyncDispose]());

async function client(name: string, scope: Partial<CallerScope> = { manages: true }): Promise<ClientCaller> {
  await home.ask('POST', '/api/tokens', { body: { name, scope } });
  const [found] = (await home.service.tokens.list()).filter(one => one.name === name && one.revokedAt === null);
  if (!found) throw new Error('the client has a token');
  return found;
}

function call(asker: ClientCaller, handle: string, args: JsonObject = {}, patience?: number): Promise<RawResult> {
  const { agentId, caller, id } = asker;
  const scope = () => home.service.callers.scopeOf(id);
  const asked = { agentId, caller, scope, handle, arguments: args, ...(patience !== undefined && { patience }) };
  return home.service.clients.dispatch(asked, new AbortController().signal).then(({ result }) => result);
}

/** Makes a call and approves it as soon as it is asked about. */
async function approved(asker: ClientCaller, handle: string, args: JsonObject = {}): Promise<RawResult> {
  const calling = call(asker, handle, args);
  void calling.catch(() => undefined);
  for (;;) {
    const open = (await home.ask('GET', '/api/approvals')).body as readonly { id: string; handleName: string }[];
    const question = open.find(one => one.handleName === handle);
    if (question) {
      await home.ask('POST', `/api/approvals/${question.id}`, { body: { approve: true } });
      return await calling;
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

const endOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'ok',
    (error: unknown) => (error instanceof LongshoreError ? error.code : String(error)),
  );
const textOf = ({ content }: RawResult) => (content as readonly { text: string }[])[0]?.text;
const seen = (asker: ClientCaller) => {
  const { id, agentId, caller } = asker;
  const { clients, callers } = home.service;
  const who = { agentId, caller, scope: () => callers.scopeOf(id) };
  return clients
    .handles(agentId)
    .filter(handle => clients.sees(who, handle))
    .map(handle => handle.handleName);
};

describe('managing servers as tools', { timeout: 60_000 }, () => {
  it('is there for clients whose tokens manage, and for nobody else', async () => {
    const plain = await client('plain', {});
    expect(seen(plain)).toEqual([]);
    const manager = await client('manager');
    expect(seen(manager)).toEqual(['longshore__search', 'longshore__load', 'longshore__unload']);
    expect(seen(plain)).toEqual([]);
    expect(await endOf(call(plain, 'longshore__search', {}, 0))).toBe('unknown-tool');
    expect(home.host.agent().tools()).toEqual([]);
    expect((await home.ask('GET', '/api/tools')).body).toEqual([]);
    expect((await home.ask('GET', '/api/mcp/status')).body.servers).toEqual([]);
    const invoked = await home.ask('POST', '/api/tools/invoke', { body: { toolId: 'longshore__search' } });
    expect([invoked.status, invoked.body.code]).toEqual([404, 'unknown-tool']);
    await home.ask('PATCH', '/api/tokens/manager', { body: { scope: { manages: false } } });
    expect(seen(manager)).toEqual([]);
    expect(await endOf(call(manager, 'longshore__search', {}, 0))).toBe('unknown-tool');
  });

  it('shows a client that may only read the search alone', async () => {
    expect(seen(await client('reader', { manages: true, risk: 'read-only' }))).toEqual(['longshore__search']);
  });

  it('is asked about every time, whatever rules allow; a deny still wins', async () => {
    const manager = await client('manager');
    for (const pattern of ['longshore.*', 'longshore__load', '*.*']) {
      await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern } });
    }
    expect(await endOf(call(manager, 'longshore__load', { ref: 'notes' }, 0))).toBe('approval-pending');
    const [question] = (await home.ask('GET', '/api/approvals')).body as { id: string }[];
    const always = { body: { approve: true, scope: 'always' } };
    expect((await home.ask('POST', `/api/approvals/${question?.id}`, always)).status).toBe(400);
    const only = 'longshore.load when ref not in [notes, mcp/time]';
    await home.ask('PUT', '/api/rules', { body: { level: 'deny', pattern: only } });
    expect(await endOf(call(manager, 'longshore__load', { ref: 'mcp/time' }, 0))).toBe('approval-pending');
    expect(await endOf(call(manager, 'longshore__load', { ref: 'mcp/other' }, 0))).toBe('denied');
    expect(seen(manager)).toContain('longshore__load');
    await home.ask('PUT', '/api/rules', { body: { level: 'deny', pattern: 'longshore.load' } });
    expect(await endOf(call(manager, 'longshore__load', { ref: 'other' }, 0))).toBe('denied');
    expect(seen(manager)).toEqual(['longshore__search', 'longshore__unload']);
  });

  it('finds saved servers and the tools that the client may call, and tells nothing of how they are started', async () => {
    const manager = await client('manager');
    await home.ask('POST', '/api/mcp-servers', {
      body: fixtureServer('notes', 'two-tools', { env: { API_TOKEN: 'sk-canary-1' } }),
    });
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('echoing', 'two-tools') });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'echoing' } });
    await home.ask('PUT', '/api/rules', { body: { level: 'deny', pattern: 'echoing.fail' } });
    const all = await approved(manager, 'longshore__search');
    expect(all['structuredContent']).toMatchObject({
      servers: [
        { server: 'echoing', kind: 'process', saved: true, state: 'connected', tools: 1 },
        { server: 'notes', kind: 'process', saved: true, tools: 0 },
      ],
      tools: [],
    });
    const echo = await approved(manager, 'longshore__search', { query: 'says back' });
    expect(echo['structuredContent']).toMatchObject({
      servers: [{ server: 'echoing' }],
      tools: [{ name: 'echoing__echo', server: 'echoing' }],
    });
    const failing = await approved(manager, 'longshore__search', { query: 'never works' });
    expect(failing['structuredContent']).toEqual({ servers: [], tools: [] });
    expect(JSON.stringify([all, echo, failing])).not.toMatch(/sk-canary|two-tools\.js/);
  });

  it('loads a saved server by its name; its tools are there and asked about as ever', async () => {
    const manager = await client('manager');
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    const loaded = await approved(manager, 'longshore__load', { ref: 'notes' });
    expect(loaded).toMatchObject({
      structuredContent: {
        server: 'notes',
        kind: 'process',
        tools: [{ name: 'notes__echo' }, { name: 'notes__fail' }],
      },
    });
    expect(seen(manager)).toContain('notes__echo');
    expect(await endOf(call(manager, 'notes__echo', { text: 'hi' }, 0))).toBe('approval-pending');
    const kept = await approvedUnload(manager, 'notes');
    expect([kept['isError'], textOf(kept)]).toEqual([true, expect.stringContaining('is saved, so it stays')]);
    const rows = (await home.ask('GET', '/api/audit?handle=longshore__load')).body as JsonObject[];
    expect(rows.some(row => row['caller'] === 'client:manager' && row['decision'] === 'user_approved')).toBe(true);
  });

  it('starts no command of a client: what is no saved name and no image is refused', async () => {
    const manager = await client('manager');
    const before = (await home.ask('GET', '/api/mcp/status')).body.servers;
    for (const ref of ['npx', 'sh -c "touch x"', '{"command":"sh"}', ' notes', 'gateway', 'longshore']) {
      const result = await approved(manager, 'longshore__load', { ref });
      expect([ref, result['isError']]).toEqual([ref, true]);
    }
    expect(
      (await home.ask('GET', '/api/mcp/status')).body.servers.filter(
        (one: JsonObject) => one['kind'] !== 'docker-image',
      ),
    ).toEqual(before);
  });

  it('unloads what the client has loaded itself, and nothing of anybody else', async () => {
    const [manager, other] = [await client('manager'), await client('other')];
    const failed = await approved(manager, 'longshore__load', { ref: 'acme/none:1' });
    expect(failed['isError']).toBe(true);
    const servers = async () =>
      ((await home.ask('GET', '/api/mcp/status')).body.servers as JsonObject[]).map(one => one['server']);
    expect(await servers()).toEqual(['acme-none-1']);
    const refused = await approvedUnload(other, 'acme-none-1');
    expect([refused['isError'], textOf(refused)]).toEqual([true, expect.stringContaining('loaded by somebody else')]);
    expect(await servers()).toEqual(['acme-none-1']);
    expect(await approvedUnload(manager, 'acme-none-1')).toMatchObject({
      structuredContent: { server: 'acme-none-1' },
    });
    expect(await servers()).toEqual([]);
    expect((await approvedUnload(manager, 'acme-none-1'))['isError']).toBe(true);
  });

  it('keeps its key for itself: a server of that name is saved under another, and both work', async () => {
    const manager = await client('manager');
    const saved = await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('longshore', 'two-tools') });
    expect(saved.body.server).toMatch(/^longshore-[0-9a-f]{4}$/);
    const loaded = await approved(manager, 'longshore__load', { ref: 'longshore' });
    expect(loaded['structuredContent']).toMatchObject({ server: saved.body.server });
    expect(seen(manager)).toContain('longshore__search');
  });

  it('is there again after a restart, and gone with the token', async () => {
    const folder = home.folder;
    const { agentId } = await client('manager');
    await home.host.dispose();
    await using again = await cortexHome({ home: folder });
    expect(again.service.clients.handles(agentId).map(handle => handle.handleName)).toContain('longshore__load');
    const [manager] = await again.service.tokens.list();
    const scope = () => again.service.callers.scopeOf(manager?.id ?? '');
    expect(scope()).toEqual({ ...wholeScope, manages: true });
    await again.ask('DELETE', '/api/tokens/manager');
    const [handle] = again.service.clients.handles(agentId);
    expect(handle && again.service.clients.sees({ agentId, caller: 'client:manager', scope }, handle)).toBe(false);
  });
});

function approvedUnload(asker: ClientCaller, server: string): Promise<RawResult> {
  return approved(asker, 'longshore__unload', { server });
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CortexHome, cortexHome, fixtureServer } from '../../../test/fixtures/cortex-home.ts';

let home: CortexHome;

beforeAll(async () => {
  home = await cortexHome();
  await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
  await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
});

afterAll(() => home[Symbol.asyncDispose]());

beforeEach(async () => {
  for (const { id } of (await home.ask('GET', '/api/rules')).body) await home.ask('DELETE', `/api/rules/${id}`);
});

const echo = { toolId: 'notes__echo', arguments: { text: 'hi' } };

async function invoke(body: object = echo) {
  return await home.ask('POST', '/api/tools/invoke', { body });
}

async function allow(pattern: string): Promise<void> {
  expect((await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern } })).status).toBe(200);
}

describe('calling a tool over REST', () => {
  it('is asked about by default: 202 with the approval, and once that is approved the same request runs, once', async () => {
    const waits = await invoke();
    expect([waits.status, waits.body.approval]).toMatchObject([202, { handleName: 'notes__echo', caller: 'operator' }]);
    const { approvalId } = waits.body;
    const decided = await home.ask('POST', `/api/approvals/${approvalId}`, { body: { approve: true } });
    expect([decided.status, decided.body.state, decided.body.decidedBy]).toEqual([200, 'approved', 'rest']);
    const ran = await invoke();
    expect([ran.status, ran.body]).toMatchObject([
      200,
      { ok: true, toolName: 'notes__echo', success: true, result: { content: [{ type: 'text', text: 'hi' }] } },
    ]);
    // How a call ended is written with the next commit, which may be a few milliseconds later.
    await expect
      .poll(async () => (await home.ask('GET', `/api/approvals/${approvalId}`)).body.outcome, { timeout: 5_000 })
      .toEqual({ status: 'ok', message: null, result: ran.body.result });
    expect((await invoke()).status).toBe(202);
  });

  it('waits as long as its patience, and runs as soon as it is approved', async () => {
    const waiting = invoke({ ...echo, arguments: { text: 'patient' }, patience: 20_000 });
    let open: { id: string; args: string }[] = [];
    await expect
      .poll(
        async () => {
          open = (await home.ask('GET', '/api/approvals')).body;
          return open.some(({ args }) => args.includes('patient'));
        },
        { timeout: 10_000 },
      )
      .toBe(true);
    const id = open.find(({ args }) => args.includes('patient'))?.id;
    await home.ask('POST', `/api/approvals/${id}`, { body: { approve: true } });
    expect((await waiting).status).toBe(200);
  });

  it.each(['notes__echo', 'notes.echo', 'the id of D1'])('takes %s for the tool', async name => {
    await allow('notes.echo');
    const [tool] = (await home.ask('GET', '/api/tools?tool=notes.echo')).body;
    expect(tool.toolId).toMatch(/^mcp:[0-9a-f-]{36}:echo$/);
    const { status } = await invoke({ ...echo, toolId: name.startsWith('the') ? tool.toolId : name });
    expect(status).toBe(200);
  });

  it('tells a failure of the tool itself as a result', async () => {
    await allow('notes.fail');
    const { status, body } = await invoke({ toolId: 'notes.fail' });
    expect([status, body.success, body.result.isError]).toEqual([200, false, true]);
  });

  it.each([
    ['an unknown tool, naming the nearest', { toolId: 'notes.ech' }, 404, 'unknown-tool'],
    ['a tool of a server that is not saved', { toolId: 'mcp:none:echo' }, 404, 'unknown-server'],
    ['arguments that are no object', { toolId: 'notes.echo', arguments: [] }, 400, 'usage'],
    ['no tool', {}, 400, 'usage'],
    ['a deadline that no timer can count', { ...echo, totalTimeout: 0 }, 400, 'usage'],
  ])('refuses %s', async (_, body, status, code) => {
    await allow('notes.*');
    const answer = await invoke(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.detail).not.toBe('');
  });

  it('R36, S3: a denied handle is denied under every name, though it was allowed for the session', async () => {
    const { body } = await invoke();
    await home.ask('POST', `/api/approvals/${body.approvalId}`, { body: { approve: true, scope: 'session' } });
    expect((await invoke()).status).toBe(200);
    await home.ask('PUT', '/api/rules', { body: { level: 'deny', pattern: 'notes.echo', reason: 'no echoes' } });
    const [tool] = (await home.ask('GET', '/api/tools?tool=notes.echo')).body;
    const before = (await home.ask('GET', '/api/servers/notes/logs')).body.next;
    for (const toolId of ['notes__echo', 'notes.echo', tool.toolId]) {
      const denied = await invoke({ ...echo, toolId });
      expect([toolId, denied.status, denied.body.code]).toEqual([toolId, 403, 'denied']);
    }
    expect((await home.ask('GET', '/api/servers/notes/logs')).body.next).toBe(before);
    const denials = async () => (await home.ask('GET', '/api/audit?decision=auto_denied')).body;
    await expect.poll(async () => (await denials()).length, { timeout: 5_000 }).toBe(3);
    const rows = await denials();
    for (const row of rows)
      expect(row).toMatchObject({ owner_key: 'notes', handle_name: 'notes__echo', caller: 'operator' });
  });

  it('R41: a decision on a call whose server was reloaded meanwhile is 409, and nothing runs', async () => {
    const { body } = await invoke({ ...echo, arguments: { text: 'stale' } });
    await home.ask('POST', '/api/mcp/reload', { body: { ref: 'notes' } });
    const late = await home.ask('POST', `/api/approvals/${body.approvalId}`, { body: { approve: true } });
    expect(late.status).toBe(409);
    expect((await home.ask('GET', `/api/approvals/${body.approvalId}`)).body.state).toBe('invalidated');
  });
});

describe('deciding over REST', () => {
  it('is 404 for a question that there is not, 409 for the second decision, 400 for what is no decision', async () => {
    expect((await home.ask('POST', '/api/approvals/none', { body: { approve: true } })).status).toBe(404);
    const { body } = await invoke({ ...echo, arguments: { text: 'twice' } });
    const path = `/api/approvals/${body.approvalId}`;
    for (const odd of [{}, { approve: 'yes' }, { approve: true, scope: 'ever' }, { approve: true, reason: 'x' }]) {
      expect([odd, (await home.ask('POST', path, { body: odd })).status]).toEqual([odd, 400]);
    }
    const rejected = await home.ask('POST', path, { body: { approve: false, reason: 'not today' } });
    expect(rejected.body).toMatchObject({ state: 'rejected', reason: 'not today' });
    const second = await home.ask('POST', path, { body: { approve: true } });
    expect([second.status, second.body.code]).toEqual([409, 'approval-closed']);
  });

  it('says of a decision on the page that it was made there', async () => {
    const { body } = await invoke({ ...echo, arguments: { text: 'page' } });
    const token = home.cortex.signIns.exchange(home.cortex.signIns.issue()) ?? '';
    const decided = await home.ask('POST', `/api/approvals/${body.approvalId}`, { body: { approve: true }, token });
    expect(decided.body).toMatchObject({ state: 'approved', decidedBy: 'page' });
  });

  it('lists what waits, oldest first, and on demand what ended', async () => {
    const first = (await invoke({ ...echo, arguments: { text: 'one' } })).body.approvalId;
    const second = (await invoke({ ...echo, arguments: { text: 'two' } })).body.approvalId;
    const open = (await home.ask('GET', '/api/approvals')).body.map(({ id }: { id: string }) => id);
    expect(open.slice(-2)).toEqual([first, second]);
    await home.ask('POST', `/api/approvals/${first}`, { body: { approve: false } });
    const all = (await home.ask('GET', '/api/approvals?state=all&limit=500')).body;
    expect(all.find(({ id }: { id: string }) => id === first)).toMatchObject({ state: 'rejected' });
    expect((await home.ask('GET', '/api/approvals?limit=0')).status).toBe(400);
  });

  it('a client can neither ask nor decide: its token is for /mcp alone', async () => {
    const { body } = await home.ask('POST', '/api/tokens', { body: { name: 'claude' } });
    for (const [method, path] of [
      ['POST', '/api/tools/invoke'],
      ['GET', '/api/approvals'],
      ['POST', '/api/approvals/x'],
      ['PUT', '/api/rules'],
      ['POST', '/api/commands'],
    ] as const) {
      const answer = await home.ask(method, path, { token: body.token, ...(method !== 'GET' && { body: {} }) });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'denied']);
    }
  });
});

describe('rules over REST', () => {
  it('are put in the place of one with the same pattern, explained, and removed', async () => {
    await home.ask('PUT', '/api/rules', { body: { level: 'ask', pattern: 'notes.*' } });
    const { body } = await home.ask('PUT', '/api/rules', {
      body: { level: 'allow', pattern: 'notes.echo', reason: 'fine' },
    });
    expect(body).toMatchObject({
      level: 'allow',
      pattern: 'notes.echo',
      pinned: true,
      state: 'active',
      source: 'operator',
    });
    const why = await home.ask('GET', `/api/rules/why?tool=notes.echo&args=${encodeURIComponent('{"text":"hi"}')}`);
    expect(why.body).toMatchObject({
      tool: 'notes__echo',
      level: 'allow',
      rule: { id: body.id },
      beat: { pattern: 'notes.*' },
    });
    expect((await home.ask('DELETE', `/api/rules/${body.id}`)).body).toEqual({ ok: true });
    expect((await home.ask('DELETE', `/api/rules/${body.id}`)).status).toBe(404);
    expect((await home.ask('GET', '/api/rules/why?tool=notes.echo')).body.level).toBe('ask');
  });

  it('are 400 where they cannot be read', async () => {
    for (const body of [
      { level: 'maybe', pattern: 'a.b' },
      { level: 'allow' },
      { level: 'allow', pattern: 'notes.echo when' },
    ]) {
      expect([body, (await home.ask('PUT', '/api/rules', { body })).status]).toEqual([body, 400]);
    }
    for (const query of ['', '?tool=notes.echo&args=7', '?tool=notes.echo&args={', '?tool=notes.echo&caller=root']) {
      expect([query, (await home.ask('GET', `/api/rules/why${query}`)).status]).toEqual([query, 400]);
    }
    expect((await home.ask('GET', '/api/rules/why?tool=none')).status).toBe(404);
  });
});

describe('the catalog of tools', () => {
  it('has their parameters and how they were used', async () => {
    await allow('notes.*');
    await invoke();
    await invoke({ toolId: 'notes.fail' });
    const tools = (await home.ask('GET', '/api/tools/catalog')).body;
    expect(tools).toMatchObject([
      {
        kind: 'mcp',
        name: 'notes__echo',
        displayName: 'Echo',
        parameters: [{ name: 'text', type: 'string', required: true }],
        serverName: 'notes',
        metrics: { successRatePct: 100, lastUsedAt: expect.any(Number) },
      },
      { name: 'notes__fail', metrics: { successRatePct: 0 } },
    ]);
  });
});

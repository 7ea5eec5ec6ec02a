import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientKinds, openClient } from '../fixtures/mcp-clients.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually } from './run-longshore.ts';

const long = 60_000;
const limit = 3_000;
let home: McpHome;

beforeAll(async () => {
  home = await mcpHome({ LONGSHORE_RESULT_LIMIT: String(limit), LONGSHORE_APPROVAL_PATIENCE: '1' });
  await home.save('notes', stdioFixture('two-tools'));
  await home.save('big', stdioFixture('big-result'));
  await home.allow('*');
}, long);
afterAll(() => home?.[Symbol.asyncDispose]());

async function caller(name: string, scope: object = {}): Promise<string> {
  const { token } = await home.rest('POST', '/api/tokens', { name, scope });
  return token;
}

const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);
const at = (token: string, path = '/mcp') => ({ url: `${home.origin}${path}`, token });

/** One raw request of 2026-07-28. */
async function ask(
  token: string,
  method: string,
  params: object = {},
  path = '/mcp',
): Promise<ReturnType<typeof JSON.parse>> {
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  const response = await fetch(`${home.origin}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return { status: response.status, ...(JSON.parse(await response.text()) as object) };
}

describe.each(clientKinds)('a %s client', kind => {
  it(
    'sees and reaches what its token is limited to, and what is hidden is refused as if it were not there',
    async () => {
      await using client = await openClient(
        kind,
        at(await caller(`limited-${kind.replace(' ', '-')}`, { tools: ['notes.echo'] })),
      );
      expect(names(await client.tools())).toEqual(['notes__echo']);
      expect(await client.call('notes__echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
      await expect(client.call('notes__fail')).rejects.toMatchObject({ code: -32_602 });
      await expect(client.call('big__big')).rejects.toMatchObject({ code: -32_602 });
    },
    long,
  );

  it(
    "sees one server's tools at that server's path, and no other's",
    async () => {
      await using client = await openClient(kind, at(await caller(`one-${kind.replace(' ', '-')}`), '/mcp/notes'));
      expect(names(await client.tools())).toEqual(['notes__echo', 'notes__fail']);
      await expect(client.call('big__big')).rejects.toMatchObject({ code: -32_602 });
    },
    long,
  );

  it(
    'with a small list sees what is pinned and finds the rest by words, which then is in its list',
    async () => {
      const token = await caller(`finds-${kind.replace(' ', '-')}`, { list: { pins: ['notes.fail'] } });
      let changes = 0;
      await using client = await openClient(kind, at(token), { onToolsChanged: () => void (changes += 1) });
      expect(names(await client.tools())).toEqual(['notes__fail', 'find_tools']);
      const found = await client.call('find_tools', { query: 'say it back' });
      expect(found.structuredContent.tools[0]).toMatchObject({ name: 'notes__echo', inputSchema: { type: 'object' } });
      expect(await eventually(async () => changes > 0, 20_000)).toBe(true);
      expect(names(await client.tools())).toEqual(['notes__echo', 'notes__fail', 'find_tools']);
      expect(await client.call('notes__echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
    },
    long,
  );

  it(
    'gets a summary of a result that is too large, and reads the whole of it where the summary says',
    async () => {
      await using client = await openClient(kind, at(await caller(`large-${kind.replace(' ', '-')}`)));
      const summary = await client.call('big__big', { bytes: 20_000 });
      expect(JSON.stringify(summary).length).toBeLessThan(limit);
      const { uri } = summary.content.find(({ type }: { type: string }) => type === 'resource_link');
      const [whole] = (await client.read(uri)).contents;
      expect(JSON.parse(whole.text).content[0].text.length).toBe(20_000);
      await using other = await openClient(kind, at(await caller(`other-${kind.replace(' ', '-')}`)));
      await expect(other.read(uri)).rejects.toThrow(/not found/i);
    },
    long,
  );
});

describe('the token of a client', () => {
  it(
    'is good for nothing from the moment it is revoked, in open sessions too',
    async () => {
      const token = await caller('revoked');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const opened = await fetch(`${home.origin}/mcp`, { method: 'POST', headers, body });
      const session = {
        ...headers,
        accept: 'text/event-stream',
        'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      };
      const listening = await fetch(`${home.origin}/mcp`, { headers: session });
      expect(listening.status).toBe(200);
      await home.rest('DELETE', '/api/tokens/revoked');
      // The stream ends with the token.
      await listening.text();
      expect((await fetch(`${home.origin}/mcp`, { headers: session })).status).toBe(401);
      expect((await ask(token, 'tools/list')).status).toBe(401);
    },
    long,
  );

  it(
    'that is given another scope sees another list at once, in an open session too, which is told',
    async () => {
      const token = await caller('changed');
      let changes = 0;
      await using client = await openClient('v2 legacy', at(token), { onToolsChanged: () => void (changes += 1) });
      expect(names(await client.tools())).toContain('big__big');
      await home.rest('PATCH', '/api/tokens/changed', { scope: { servers: ['notes'] } });
      expect(await eventually(async () => changes > 0, 20_000)).toBe(true);
      expect(names(await client.tools())).toEqual(['notes__echo', 'notes__fail']);
      await expect(client.call('big__big')).rejects.toMatchObject({ code: -32_602 });
    },
    long,
  );

  it('never decides: the REST API does not know it', async () => {
    const token = await caller('decides');
    const response = await fetch(`${home.origin}/api/approvals`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(403);
  });

  it(
    'that may manage servers is asked about each time, and has the tools of what it loaded',
    async () => {
      await home.rest('POST', '/api/mcp/unload', { ref: 'big' });
      const token = await caller('manager', { manages: true });
      await using client = await openClient('v2 modern', at(token));
      expect(names(await client.tools())).toEqual(
        expect.arrayContaining(['longshore__load', 'longshore__search', 'longshore__unload']),
      );
      const args = { ref: 'big' };
      expect((await client.call('longshore__load', args)).isError).toBe(true);
      const [question] = await home.rest('GET', '/api/approvals');
      expect(question).toMatchObject({ handleName: 'longshore__load', scopes: ['once'] });
      await home.rest('POST', `/api/approvals/${question.id}`, { approve: true });
      expect((await client.call('longshore__load', args)).isError).not.toBe(true);
      expect(names(await client.tools())).toContain('big__big');
      expect(names((await ask(await caller('plain'), 'tools/list')).result.tools)).not.toContain('longshore__load');
    },
    long,
  );
});

describe('the list of tools', () => {
  it(
    'waits for no server that is slow or dead for more than the first moments of its first start, and names it',
    async () => {
      await home.rest('POST', '/api/mcp-servers', { name: 'dead', ...stdioFixture('never-answers') });
      await home.rest('POST', '/api/mcp-servers', { name: 'fresh', ...stdioFixture('two-tools') });
      const token = await caller('lists');
      const first = await ask(token, 'tools/list');
      expect(names(first.result.tools)).toEqual(expect.arrayContaining(['fresh__echo', 'notes__echo']));
      expect(first.result._meta['longshore/missing']).toEqual([
        expect.objectContaining({ server: 'dead', reason: expect.any(String) }),
      ]);
      const began = performance.now();
      await ask(token, 'tools/list');
      // The first waited 2.5 s; this one would too if it waited at all.
      expect(performance.now() - began).toBeLessThan(2_000);
      await home.rest('POST', '/api/mcp/unload', { ref: 'dead' });
    },
    long,
  );

  it('is one page, private, and refuses a cursor that was never given', async () => {
    const token = await caller('pages');
    const { result } = await ask(token, 'tools/list');
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'private' });
    expect(result).not.toHaveProperty('nextCursor');
    expect((await ask(token, 'tools/list', { cursor: 'x' })).error).toMatchObject({ code: -32_602 });
  });
});

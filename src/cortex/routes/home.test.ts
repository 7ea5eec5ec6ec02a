import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CortexHome, cortexHome, fixtureServer } from '../../../test/fixtures/cortex-home.ts';

let home: CortexHome;

beforeAll(async () => {
  home = await cortexHome();
});

afterAll(() => home[Symbol.asyncDispose]());

describe('agents over REST', () => {
  it('R58: are added by name, meant by name or DID, and never see the servers of each other', async () => {
    const { status, body } = await home.ask('POST', '/api/agents', { body: { name: 'work' } });
    expect([status, body]).toMatchObject([
      201,
      { name: 'work', isDefault: false, agentId: expect.stringMatching(/^did:key:/) },
    ]);
    for (const agent of ['work', body.agentId]) {
      const added = await home.ask('POST', `/api/mcp-servers?agent=${agent}`, {
        body: fixtureServer(`of-${agent.slice(0, 4)}`, 'two-tools'),
      });
      expect(added.status).toBe(201);
    }
    expect((await home.ask('GET', '/api/mcp-servers?agent=work')).body).toHaveLength(2);
    expect((await home.ask('GET', '/api/mcp-servers')).body).toEqual([]);
    expect((await home.ask('DELETE', '/api/mcp-servers/of-work')).status).toBe(404);
    const agents = (await home.ask('GET', '/api/agents')).body;
    expect(agents).toMatchObject([
      { name: 'default', isDefault: true, servers: 0 },
      { name: 'work', servers: 2 },
    ]);
  });

  it('are refused under a taken or odd name, and unknown ones are 404 with what there is', async () => {
    for (const name of ['work', 'default']) {
      expect((await home.ask('POST', '/api/agents', { body: { name } })).status).toBe(409);
    }
    for (const name of ['', ' x', 'a b', 'x'.repeat(65)]) {
      expect((await home.ask('POST', '/api/agents', { body: { name } })).status).toBe(400);
    }
    const unknown = await home.ask('GET', '/api/mcp-servers?agent=wrok');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'unknown-agent']);
    expect(unknown.body.detail).toContain('Did you mean work?');
  });
});

describe('tokens over REST', () => {
  it('are shown once, listed without themselves, and revoked for good', async () => {
    const { status, body } = await home.ask('POST', '/api/tokens?agent=work', { body: { name: 'cursor' } });
    expect([status, body.caller]).toEqual([201, 'client:cursor']);
    const listed = await home.ask('GET', '/api/tokens');
    expect(listed.body).toMatchObject([{ name: 'cursor', revokedAt: null }]);
    expect(JSON.stringify(listed.body)).not.toContain(body.token);
    expect((await home.ask('POST', '/api/tokens', { body: { name: 'cursor' } })).status).toBe(409);
    expect((await home.ask('GET', '/api/agents', { token: body.token })).status).toBe(403);
    expect((await home.ask('DELETE', '/api/tokens/cursor')).body).toEqual({ ok: true, removed: true });
    expect((await home.ask('GET', '/api/agents', { token: body.token })).status).toBe(401);
    expect((await home.ask('DELETE', '/api/tokens/cursor')).body).toEqual({ ok: true, removed: false });
    expect((await home.ask('POST', '/api/tokens', { body: { name: 'a b' } })).status).toBe(400);
  });
});

describe('secrets over REST', () => {
  it('S15: go in, are listed by name, used by reference, and never come out', async () => {
    const value = 'sk-canary-abcdefghij';
    expect((await home.ask('PUT', '/api/secrets/API_KEY', { body: { value } })).body).toMatchObject({ ok: true });
    const listed = await home.ask('GET', '/api/secrets');
    expect(listed.body.secrets).toMatchObject([{ name: 'API_KEY' }]);
    expect(JSON.stringify(listed.body)).not.toContain(value);
    expect((await home.ask('PUT', '/api/secrets/1 bad', { body: { value } })).status).toBe(400);
    expect((await home.ask('PUT', '/api/secrets/EMPTY', { body: { value: '' } })).status).toBe(400);
    expect((await home.ask('DELETE', '/api/secrets/API_KEY')).body).toEqual({ ok: true, removed: true });
    expect((await home.ask('DELETE', '/api/secrets/API_KEY')).body).toEqual({ ok: true, removed: false });
  });
});

describe('the record over REST', () => {
  it('has every change of agents, servers, tokens and secrets, and who made it through which door', async () => {
    const rows = (await home.ask('GET', '/api/audit?order=oldest-first&limit=1000')).body;
    const changes = rows.map(({ action, subject }: { action: string; subject: string }) => `${action} ${subject}`);
    for (const change of [
      'agent_added work',
      'server_saved of-work',
      'token_created cursor',
      'token_revoked cursor',
      'secret_set API_KEY',
      'secret_removed API_KEY',
    ]) {
      expect(changes).toContain(change);
    }
    const token = rows.find(({ action }: { action: string }) => action === 'token_created');
    expect(token.caller).toBe('operator:rest');
  });

  it('is filtered, paged, verified, and given out whole as one object a line', async () => {
    const all = (await home.ask('GET', '/api/audit?order=oldest-first&limit=1000')).body;
    const page = (await home.ask('GET', `/api/audit?order=oldest-first&after=${all[1].seq}&limit=2`)).body;
    expect(page).toEqual(all.slice(2, 4));
    const ofWork = (await home.ask('GET', '/api/audit?agent=work&limit=1000')).body;
    expect(ofWork.length).toBeGreaterThan(0);
    expect(ofWork.length).toBeLessThan(all.length);
    expect((await home.ask('GET', '/api/audit/verify')).body).toEqual({ ok: true, rows: all.length, problems: [] });
    const { response } = await home.ask('GET', '/api/audit/export');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text()).trim().split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual(all);
    for (const query of ['limit=0', 'limit=2000', 'order=up', 'since=soon', 'after=-1']) {
      expect([query, (await home.ask('GET', `/api/audit?${query}`)).status]).toEqual([query, 400]);
    }
  });
});

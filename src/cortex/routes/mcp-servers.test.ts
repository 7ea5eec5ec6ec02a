import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesWith } from '../../../test/e2e/run-longshore.ts';
import { operatorToken } from '../../../test/fixtures/cortex-deps.ts';
import { type CortexHome, cortexHome, fixtureServer } from '../../../test/fixtures/cortex-home.ts';
import { type RecordedDocker, recordedDocker } from '../../../test/fixtures/docker/recorded-docker.ts';
import { silentLog } from '../../core/ports/log.ts';
import { listen } from '../listen.ts';

let home: CortexHome;
let docker: RecordedDocker;

beforeAll(async () => {
  docker = await recordedDocker({ 'stdio:1': { mode: 'stdio' } });
  home = await cortexHome({
    env: { ...docker.env, HOME: '/nowhere' },
    deadlines: { open: 20_000, close: 5_000 },
  });
});

afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await docker[Symbol.asyncDispose]();
});

async function names(): Promise<readonly string[]> {
  return (await home.ask('GET', '/api/mcp-servers')).body.map((server: { name: string }) => server.name);
}

const inDocker = { command: 'docker', args: ['run', '--rm', '-i', 'stdio:1'] };

describe('saved servers over REST', () => {
  it('R16: are added without a transport, listed by name, not started, and nothing of them is shown in clear', async () => {
    const config = fixtureServer('plain', 'two-tools', { env: { API_TOKEN: 'sk-canary-0123456789', LEVEL: 'high' } });
    const { status, body } = await home.ask('POST', '/api/mcp-servers', { body: config });
    expect([status, body.name, body.server]).toEqual([201, 'plain', 'plain']);
    const listed = await home.ask('GET', '/api/mcp-servers');
    expect(listed.body).toMatchObject([
      {
        serverId: body.serverId,
        state: 'stopped',
        enabled: true,
        config: { env: { API_TOKEN: { set: true }, LEVEL: { set: true } } },
        tools: [],
      },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain('canary');
  });

  it('change, list tools of and remove the same server by the same ref, and say which it was', async () => {
    const first = (await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('a b', 'two-tools') })).body;
    const second = (await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('a-b', 'two-tools') })).body;
    expect([first.server, second.server]).toEqual(['a-b', expect.stringMatching(/^a-b-[0-9a-f]{4}$/)]);
    const changed = await home.ask('PATCH', '/api/mcp-servers/a-b', { body: { enabled: false } });
    const listed = (await home.ask('GET', '/api/mcp-servers')).body;
    const disabled = listed.filter((one: { enabled: boolean }) => !one.enabled);
    expect(disabled.map((one: { serverId: string }) => one.serverId)).toEqual([first.serverId]);
    const removed = await home.ask('DELETE', '/api/mcp-servers/a-b');
    expect([changed.body.name, removed.body.name]).toEqual(['a b', 'a b']);
    expect(await names()).toContain('a-b');
    await home.ask('DELETE', `/api/mcp-servers/${second.server}`);
  });

  it('say in list and load what could not be mounted: two servers with plain names and equal tools', async () => {
    for (const name of ['clash-1', 'clash-2']) {
      await home.ask('POST', '/api/mcp-servers', { body: fixtureServer(name, 'two-tools', { names: 'plain' }) });
    }
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'clash-1' } });
    const { body } = await home.ask('POST', '/api/mcp/load', { body: { ref: 'clash-2' } });
    const clash = expect.arrayContaining([expect.objectContaining({ code: 'handle-name-clash' })]);
    expect(body.data.notes).toEqual(clash);
    const listed = (await home.ask('GET', '/api/mcp-servers')).body;
    const second = listed.find(({ name }: { name: string }) => name === 'clash-2');
    expect(second).toMatchObject({ state: 'degraded', tools: [], diagnostics: clash });
    for (const name of ['clash-1', 'clash-2']) await home.ask('DELETE', `/api/mcp-servers/${name}`);
  });

  it('take url for endpoint, as D1 does', async () => {
    const { status } = await home.ask('POST', '/api/mcp-servers', {
      body: { name: 'far', url: 'http://127.0.0.1:9/mcp' },
    });
    expect(status).toBe(201);
    const far = (await home.ask('GET', '/api/mcp-servers')).body.find(
      (server: { name: string }) => server.name === 'far',
    );
    expect(far).toMatchObject({ kind: 'remote', config: { endpoint: 'http://127.0.0.1:9/mcp' } });
    await home.ask('DELETE', '/api/mcp-servers/far');
  });

  it('a second one of the same name is 409, and what is no config is 400 with the path of every field', async () => {
    const again = await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('plain', 'two-tools') });
    expect([again.status, again.body.code]).toEqual([409, 'name-in-use']);
    const bad = await home.ask('POST', '/api/mcp-servers', {
      body: { name: 'bad', command: 7, args: ['a', 8], transport: 'websocket', env: { A: 1 } },
    });
    expect([bad.status, bad.body.code]).toEqual([400, 'bad-config']);
    const paths = bad.body.data.problems.map((problem: { path: string }) => problem.path).sort();
    expect(paths).toEqual(['args[1]', 'command', 'env.A', 'transport']);
    for (const body of [{}, { name: 'x', settings: { unknown: true } }, [], 'text', { name: ' x' }]) {
      expect((await home.ask('POST', '/api/mcp-servers', { body })).status).toBe(400);
    }
    expect(await names()).toEqual(['plain']);
  });

  it('R4: a change keeps masked values, ends what runs by the old config, and is what starts next', async () => {
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'plain' } });
    const before = (await home.ask('GET', '/api/tools?server=plain')).body;
    expect(before.map((tool: { tool: string }) => tool.tool)).toEqual(['echo', 'fail']);
    const change = fixtureServer('plain', 'tells-environment', { env: { API_TOKEN: { set: true }, MORE: 'x' } });
    const { status, body } = await home.ask('PATCH', '/api/mcp-servers/plain', { body: change });
    expect([status, body.name]).toEqual([200, 'plain']);
    const [listed] = (await home.ask('GET', '/api/mcp-servers')).body;
    expect(listed).toMatchObject({ state: 'stopped', tools: [], holdings: [] });
    expect(Object.keys(listed.config.env)).toEqual(['API_TOKEN', 'MORE']);
    await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern: 'plain.*' } });
    const called = await home.ask('POST', '/api/tools/invoke', { body: { toolId: 'plain.environment' } });
    expect(JSON.parse(called.body.result.content[0].text)).toMatchObject({
      API_TOKEN: 'sk-canary-0123456789',
      MORE: 'x',
    });
  });

  it('a masked value that is not saved, a taken name and an unknown server are refused, and nothing changes', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('second', 'two-tools') });
    const masked = fixtureServer('plain', 'two-tools', { env: { NOT_THERE: { set: true } } });
    const refused = await home.ask('PATCH', '/api/mcp-servers/plain', { body: masked });
    expect([refused.status, refused.body.code]).toEqual([400, 'bad-config']);
    const taken = await home.ask('PATCH', '/api/mcp-servers/plain', { body: fixtureServer('second', 'two-tools') });
    expect([taken.status, taken.body.code]).toEqual([409, 'name-in-use']);
    const unknown = await home.ask('PATCH', '/api/mcp-servers/nobody', { body: { enabled: true } });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'unknown-server']);
    expect((await home.ask('PATCH', '/api/mcp-servers/plain', { body: {} })).status).toBe(400);
    expect(await names()).toEqual(['plain', 'second']);
  });

  it('R68: a disabled one is ended and not started by anything until it is enabled', async () => {
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'second' } });
    expect((await home.ask('PATCH', '/api/mcp-servers/second', { body: { enabled: false } })).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', '/api/mcp/load', { ref: 'second' }],
      ['POST', '/api/mcp/reload', { ref: 'second' }],
      ['GET', '/api/tools?server=second', undefined],
      ['POST', '/api/mcp-servers/second/refresh-tools', undefined],
    ] as const) {
      const { status, body: answer } = await home.ask(method, path, body ? { body } : {});
      expect([path, status, answer.code]).toEqual([path, 409, 'server-disabled']);
    }
    await home.ask('PATCH', '/api/mcp-servers/second', { body: { enabled: true } });
    expect((await home.ask('POST', '/api/mcp/load', { body: { ref: 'second' } })).status).toBe(200);
  });

  it('are found in a path by id, key or name, encoded as any part', async () => {
    const { body } = await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('a b/c', 'two-tools') });
    for (const ref of [body.serverId, body.server, 'a b/c']) {
      const logs = await home.ask('GET', `/api/servers/${encodeURIComponent(ref)}/logs`);
      expect([ref, logs.status, logs.body.server]).toEqual([ref, 200, body.server]);
    }
    expect((await home.ask('DELETE', `/api/mcp-servers/${encodeURIComponent('a b/c')}`)).status).toBe(200);
  });
});

describe('removing over REST', () => {
  it('R1, R2, R4: answers only once the container is removed by rm -f, and then the row is gone', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: { name: 'boxed', ...inDocker } });
    const loaded = await home.ask('POST', '/api/mcp/load', { body: { ref: 'boxed' } });
    expect([loaded.status, loaded.body.status]).toEqual([200, 'ok']);
    expect(await docker.containers()).toHaveLength(1);
    const { status, body } = await home.ask('DELETE', '/api/mcp-servers/boxed');
    expect([status, body]).toEqual([
      200,
      { ok: true, name: 'boxed', process_removed: true, handles_withdrawn: expect.any(Number) },
    ]);
    expect(await docker.containers()).toEqual([]);
    expect(await docker.started('rm', '-f')).not.toEqual([]);
    expect(await names()).not.toContain('boxed');
    expect((await home.ask('DELETE', '/api/mcp-servers/boxed')).status).toBe(404);
  });

  it('R2, R4: is a success where somebody else has removed the container already', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: { name: 'robbed', ...inDocker } });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'robbed' } });
    const list = (await home.ask('GET', '/api/mcp-servers')).body;
    const [id] = list.find((server: { name: string }) => server.name === 'robbed').holdings;
    await docker.drop(id);
    expect(await docker.containers()).toEqual([]);
    const { status } = await home.ask('DELETE', '/api/mcp-servers/robbed');
    expect(status).toBe(200);
    expect(await names()).not.toContain('robbed');
  });

  it('R4, R54, R60: is 502 while the container cannot be removed; the row stays, says so, and a later one succeeds', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: { name: 'stuck', ...inDocker } });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'stuck' } });
    await docker.script([{ match: ['rm'], code: 1, stderr: 'Error response from daemon: device busy' }]);
    const failed = await home.ask('DELETE', '/api/mcp-servers/stuck');
    expect([failed.status, failed.body.code]).toEqual([502, 'close-failed']);
    expect(failed.body.data).toMatchObject({ process_removed: 'failed', saved_removed: false });
    const row = (await home.ask('GET', '/api/mcp-servers')).body.find(
      (server: { name: string }) => server.name === 'stuck',
    );
    expect(row).toMatchObject({ state: 'close-failed', needsAttention: true, lastError: { code: 'close-failed' } });
    expect(row.holdings).not.toEqual([]);
    await docker.script([]);
    expect((await home.ask('DELETE', '/api/mcp-servers/stuck')).status).toBe(200);
    expect(await docker.containers()).toEqual([]);
  });
});

describe('listing tools anew over REST', () => {
  it('gives what the server offers, and leaves the live connection and its handles alone', async () => {
    const [live] = (await home.ask('GET', '/api/tools?server=plain')).body;
    const { status, body } = await home.ask('POST', '/api/mcp-servers/plain/refresh-tools');
    expect([status, body]).toEqual([200, { ok: true, tools: [{ toolName: 'environment' }] }]);
    const after = (await home.ask('GET', '/api/tools?server=plain')).body;
    expect(after).toEqual([live]);
    expect((await home.ask('POST', '/api/mcp-servers/nobody/refresh-tools')).status).toBe(404);
  });

  it('is 409 while one runs, and ends with the request that asked for it', async () => {
    const env = { FIXTURE_HOLDS: '1', MARK: `${home.home}-endless` };
    const config = fixtureServer('endless', 'noisy', { env });
    await home.ask('POST', '/api/mcp-servers', { body: config });
    const gone = new AbortController();
    const first = home.ask('POST', '/api/mcp-servers/endless/refresh-tools', { signal: gone.signal });
    await expect
      .poll(async () => (await home.ask('POST', '/api/mcp-servers/endless/refresh-tools')).status, { timeout: 10_000 })
      .toBe(409);
    gone.abort();
    const ended = await first;
    expect([ended.status, ended.body.code]).toEqual([499, 'cancelled']);
  });

  it.each([
    ['/api/mcp-servers/endless/refresh-tools', undefined],
    ['/api/mcp/load', '{"ref":"endless"}'],
  ])('R50: %s ends when the socket of whoever asked is closed, and leaves no process', async (path, body) => {
    const bind = { host: '127.0.0.1', port: 0, allowedHosts: [], insecureHttp: false };
    const listening = await listen((request, bindings) => home.cortex.app.fetch(request, bindings), bind, silentLog);
    const gone = new AbortController();
    const asking = fetch(listening.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
      signal: gone.signal,
    }).catch((error: unknown) => error);
    const running = async () => (await processesWith(`${home.home}-endless`)).length;
    await expect.poll(running, { timeout: 10_000 }).toBe(1);
    gone.abort();
    expect(await asking).toMatchObject({ name: 'AbortError' });
    await expect.poll(running, { timeout: 10_000 }).toBe(0);
    await listening.close(1_000);
  });

  it('is 502 with the reason where the server does not start', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: { name: 'absent', command: 'no-such-program-of-ours' } });
    const { status, body } = await home.ask('POST', '/api/mcp-servers/absent/refresh-tools');
    expect([status, body.code]).toEqual([502, 'command-not-found']);
  });
});

describe('importing over REST', () => {
  const json = JSON.stringify({
    mcpServers: { imported: fixtureServer('x', 'two-tools', { name: '' }), bad: {}, worse: 'x' },
  });

  it('R22: a dry run says what would be done and does nothing; then it is done', async () => {
    const dry = await home.ask('POST', '/api/mcp-servers/import-json', { body: { json, dryRun: true } });
    expect(dry.body).toMatchObject({ ok: true, count: 1, created: [{ serverId: null, name: 'imported' }] });
    expect(await names()).not.toContain('imported');
    const { status, body } = await home.ask('POST', '/api/mcp-servers/import-json', { body: { json } });
    expect([status, body.count]).toEqual([200, 1]);
    expect(body.skipped.map(({ key }: { key: string }) => key)).toEqual(['bad', 'worse']);
    const again = await home.ask('POST', '/api/mcp-servers/import-json', { body: { json } });
    expect(again.body).toMatchObject({ created: [], updated: [{ serverId: body.created[0].serverId }] });
  });

  it.each(['{', '[]', '{"mcpServers":{"a":{}}}', '[{"name":"a","command":7},{"name":"a"}]'])(
    'R22: is 400 and does nothing for %s',
    async text => {
      const before = await names();
      const { status, body } = await home.ask('POST', '/api/mcp-servers/import-json', { body: { json: text } });
      expect([status, body.code]).toEqual([400, 'bad-config']);
      expect(await names()).toEqual(before);
    },
  );
});

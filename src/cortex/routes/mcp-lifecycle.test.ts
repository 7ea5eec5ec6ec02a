import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CortexHome, cortexHome, fixtureServer } from '../../../test/fixtures/cortex-home.ts';
import { type RecordedDocker, recordedDocker } from '../../../test/fixtures/docker/recorded-docker.ts';

let home: CortexHome;
let docker: RecordedDocker;

beforeAll(async () => {
  docker = await recordedDocker({ 'acme/x:v3': { mode: 'stdio' }, 'acme/crash:1': { mode: 'crash' } });
  home = await cortexHome({ env: { ...docker.env, HOME: '/nowhere' }, deadlines: { open: 20_000, close: 5_000 } });
});

afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await docker[Symbol.asyncDispose]();
});

async function line(text: string) {
  const { status, body } = await home.ask('POST', '/api/commands', { body: { line: text } });
  expect(status).toBe(200);
  return body;
}

describe('loading and unloading', () => {
  it('R31, R32: an image is loaded and saved, and unloaded and forgotten by whatever means it', async () => {
    const loaded = await line('!mcp-load acme/x:v3');
    expect(loaded).toMatchObject({
      status: 'ok',
      data: {
        image: 'acme/x:v3',
        transport: 'stdio',
        resource_id: expect.stringMatching(/^mcp-acme-x-v3-[0-9a-f]{16}$/),
      },
    });
    expect(loaded.data.tools.length).toBeGreaterThan(0);
    const saved = (await home.ask('GET', '/api/mcp-servers')).body;
    expect(saved).toMatchObject([{ image: 'acme/x:v3', state: 'connected', kind: 'docker-image' }]);
    expect(await line('!mcp-load acme/x:v3')).toMatchObject({ status: 'partial', code: 'already-running' });
    const unloaded = await line(`!mcp-unload ${loaded.data.resource_id}`);
    expect(unloaded).toMatchObject({ status: 'ok', data: { process_removed: true, saved_removed: true } });
    expect((await home.ask('GET', '/api/mcp-servers')).body).toEqual([]);
    expect(await docker.containers()).toEqual([]);
  });

  it('R32: what was never loaded is an error, and no docker command is run for it', async () => {
    const before = (await docker.calls()).length;
    expect(await line('!mcp-unload mcp/never:1')).toMatchObject({ status: 'error', code: 'unknown-server' });
    expect((await home.ask('POST', '/api/mcp/unload', { body: { ref: 'mcp/never:1' } })).status).toBe(404);
    expect((await docker.calls()).length).toBe(before);
  });

  it('R58, R33: an image that exits stays listed as failed, by its id and without tools, and can be unloaded', async () => {
    const failed = await home.ask('POST', '/api/mcp/load', { body: { ref: 'acme/crash:1' } });
    expect([failed.status, failed.body.code]).toEqual([502, 'failed-to-start']);
    const { data } = await line('!mcp-list');
    expect(data.servers).toMatchObject([
      { image: 'acme/crash:1', state: 'failed', tools: [], error: { code: 'failed-to-start' } },
    ]);
    expect(await line(`!mcp-unload ${data.servers[0].id}`)).toMatchObject({
      status: 'ok',
      data: { process_removed: true },
    });
    expect(await docker.containers()).toEqual([]);
    expect((await line('!mcp-list')).data.servers).toEqual([]);
  });

  it('R70: a name with whitespace at its ends is refused before anything is done', async () => {
    const before = (await docker.calls()).length;
    for (const ref of ['acme/x:v3 ', ' notes', 'x\u00a0', '\ufeffx']) {
      for (const verb of ['load', 'unload', 'reload', 'restart', 'explain']) {
        const { status, body } = await home.ask('POST', `/api/mcp/${verb}`, { body: { ref } });
        expect([verb, ref, status, body.code]).toEqual([verb, ref, 400, 'usage']);
      }
    }
    expect((await docker.calls()).length).toBe(before);
  });

  it('R60: a config stays saved when it is unloaded, and is loaded again by its name', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
    const { body } = await home.ask('POST', '/api/mcp/unload', { body: { ref: 'notes' } });
    expect(body).toMatchObject({
      status: 'ok',
      data: { process_removed: true, saved_removed: false, handles_withdrawn: 2 },
    });
    expect((await home.ask('GET', '/api/tools')).body).toEqual([]);
    expect((await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } })).body.status).toBe('ok');
  });

  it('R40: a reload and a restart give every tool a new connection', async () => {
    for (const verb of ['reload', 'restart']) {
      const before = (await home.ask('GET', '/api/mcp/status')).body.servers[0].holdings;
      expect((await home.ask('POST', `/api/mcp/${verb}`, { body: { ref: 'notes' } })).body.status).toBe('ok');
      const after = (await home.ask('GET', '/api/mcp/status')).body.servers[0].holdings;
      expect(after).toHaveLength(1);
      expect(after).not.toEqual(before);
    }
    expect((await home.ask('POST', '/api/mcp/reload', { body: { ref: 'nobody' } })).status).toBe(404);
  });

  it('R50: a load whose caller goes away ends, and leaves nothing', async () => {
    await home.ask('POST', '/api/mcp-servers', {
      body: fixtureServer('endless', 'noisy', { env: { FIXTURE_HOLDS: '1' } }),
    });
    const gone = new AbortController();
    const loading = home.ask('POST', '/api/mcp/load', { body: { ref: 'endless' }, signal: gone.signal });
    const state = async () => {
      const { servers } = (await home.ask('GET', '/api/mcp/status')).body;
      return servers.find(({ name }: { name: string }) => name === 'endless');
    };
    await expect.poll(async () => (await state()).sentence, { timeout: 10_000 }).toContain('tools are being listed');
    gone.abort();
    expect((await loading).body.code).toBe('cancelled');
    expect((await state()).holdings).toEqual([]);
    await home.ask('DELETE', '/api/mcp-servers/endless');
  });
});

describe('tools', () => {
  it('of a server that was never seen are seen by asking for them, and by nothing else', async () => {
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('unseen', 'two-tools') });
    const state = async () =>
      (await home.ask('GET', '/api/mcp-servers')).body.find(({ name }: { name: string }) => name === 'unseen').state;
    const all = (await home.ask('GET', '/api/tools')).body;
    expect(all.some(({ server }: { server: string }) => server === 'unseen')).toBe(false);
    expect(await state()).toBe('stopped');
    const found = await home.ask('GET', '/api/tools?tool=unseen__echo');
    expect(found.body).toMatchObject([{ server: 'unseen', tool: 'echo', definition: { title: 'Echo' } }]);
    expect(await state()).toBe('connected');
    expect((await home.ask('GET', '/api/tools?server=unseen&tool=unseen.fail')).body).toHaveLength(1);
    expect((await home.ask('GET', '/api/tools?server=notes&tool=unseen.fail')).body).toEqual([]);
    expect((await home.ask('GET', '/api/tools?tool=unseen.fial')).body.detail).toContain('Did you mean unseen.fail?');
    expect((await home.ask('GET', '/api/tools?server=nobody')).status).toBe(404);
    await home.ask('DELETE', '/api/mcp-servers/unseen');
  });

  it('of an image that is saved with other settings come from what starts next', async () => {
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'acme/x:v3' } });
    const change = { name: 'acme/x:v3', env: { LEVEL: 'high' } };
    const changed = await home.ask('PATCH', '/api/mcp-servers/acme-x-v3', { body: change });
    expect(changed.status).toBe(200);
    expect(await docker.containers()).toEqual([]);
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'acme/x:v3' } });
    expect((await docker.started('run', 'LEVEL')).length).toBe(1);
    expect((await home.ask('DELETE', '/api/mcp-servers/acme-x-v3')).body).toMatchObject({ process_removed: true });
  });
});

describe('explaining', () => {
  it('tells what a start would be, runs nothing and saves nothing', async () => {
    const before = (await docker.calls()).length;
    const image = await home.ask('POST', '/api/mcp/explain', {
      body: { ref: 'acme/x:v3', env: { API_TOKEN: 'sk-canary-0123456789' } },
    });
    expect(image.body).toMatchObject({
      kind: 'docker-image',
      server: 'acme-x-v3',
      env: ['API_TOKEN'],
      transport: 'detected',
    });
    expect(image.body.argv).toContain('--cap-drop');
    const config = { ...fixtureServer('other', 'two-tools'), args: ['--token', 'sk-canary-0123456789'] };
    const command = await home.ask('POST', '/api/mcp/explain', { body: { config } });
    expect(command.body).toMatchObject({ kind: 'process', server: 'other', transport: 'stdio' });
    expect(command.body.risks).not.toEqual([]);
    expect(JSON.stringify([image.body, command.body])).not.toContain('canary');
    expect((await home.ask('POST', '/api/mcp/explain', { body: {} })).status).toBe(400);
    expect((await docker.calls()).length).toBe(before);
    expect((await home.ask('GET', '/api/mcp-servers')).body).toHaveLength(1);
  });

  it('R74: of a name that is not here says that no catalog could be asked, and runs nothing but that question', async () => {
    const before = (await docker.calls()).length;
    const { body } = await home.ask('POST', '/api/mcp/explain', { body: { ref: 'nobody' } });
    expect(body.code).toBe('catalog-unreadable');
    const asked = (await docker.calls()).slice(before).map(({ argv }) => argv.join(' '));
    expect([...new Set(asked)]).toEqual(['mcp version']);
  });
});

describe('logs', () => {
  it('are numbered, so that a follower gets each line once, also over a restart', async () => {
    await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern: 'notes.*' } });
    const call = () => home.ask('POST', '/api/tools/invoke', { body: { toolId: 'notes.fail' } });
    const logs = async (query = '') => (await home.ask('GET', `/api/servers/notes/logs${query}`)).body;
    const { next } = await logs();
    await call();
    await call();
    await expect.poll(async () => (await logs()).next, { timeout: 5_000 }).toBe(next + 2);
    expect(await logs(`?after=${next}`)).toEqual({
      server: 'notes',
      lines: ['called fail', 'called fail'],
      next: next + 2,
    });
    expect((await logs('?tail=1')).lines).toEqual(['called fail']);
    expect((await logs(`?after=${next + 2}`)).lines).toEqual([]);
    await home.ask('POST', '/api/mcp/restart', { body: { ref: 'notes' } });
    await call();
    await expect.poll(async () => (await logs()).next, { timeout: 5_000 }).toBe(next + 4);
    expect((await logs(`?after=${next + 2}`)).lines).toEqual(['--- started anew ---', 'called fail']);
    expect((await home.ask('GET', '/api/servers/nobody/logs')).status).toBe(404);
    expect((await home.ask('GET', '/api/servers/notes/logs?tail=x')).status).toBe(400);
  });
});

describe('commands over REST', () => {
  it('R28: answer 200 with the result, whatever it is, and do nothing for a line that is wrong', async () => {
    for (const text of ['', '"', '!mcp-list x', '!mcp-listx', '!mcp-load', 'ls']) {
      expect([text, await line(text)]).toMatchObject([text, { status: 'error', code: 'usage' }]);
    }
    expect(await line('!MCP-List')).toMatchObject({ status: 'ok' });
    expect((await home.ask('POST', '/api/commands', { body: {} })).status).toBe(400);
  });

  it('are actions of the operator, and recorded as that', async () => {
    await line('!mcp-search time');
    const [row] = (await home.ask('GET', '/api/audit?limit=1')).body;
    expect(row).toMatchObject({ kind: 'change', action: 'mcp_search', subject: 'time', caller: 'operator:rest' });
  });
});

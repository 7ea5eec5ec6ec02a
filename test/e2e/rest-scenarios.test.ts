import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { ServerKey } from '../../src/core/ids.ts';
import { readIdentity } from '../../src/store/identity.ts';
import { openStore } from '../../src/store/store.ts';
import { type CortexHome, cortexHome, fixtureServer } from '../fixtures/cortex-home.ts';
import { recordedDocker } from '../fixtures/docker/recorded-docker.ts';
import { operationsOf } from '../fixtures/open-api-requests.ts';

const canary = 'sk-canary-4711-zebra';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-rest-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** What `GET /api/events` has told until now. */
async function watch(home: CortexHome): Promise<{ text(): string; stop(): Promise<void> }> {
  const { response } = await home.ask('GET', '/api/events');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return;
      text += value;
    }
  })();
  return {
    text: () => text,
    async stop() {
      await reader?.cancel();
      await reading;
    },
  };
}

describe('scenarios over REST', { timeout: 60_000 }, () => {
  it('S3, R36: the only way to a tool is its own dispatch: denied, it runs by no operation that takes a name of it', async () => {
    await using home = await cortexHome({ home: folder });
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
    await home.ask('PUT', '/api/rules', { body: { level: 'deny', pattern: 'notes.echo' } });
    const document = (await home.ask('GET', '/api/openapi.json')).body;
    const naming = operationsOf(document).filter(({ parameters, body }) => {
      const text = JSON.stringify([parameters.map(({ name }) => name), body ?? {}]);
      return /"(tool|toolId|toolName|handle|handleName)"/i.test(
        text.replaceAll('#/components/schemas/Invoke', '"toolId"'),
      );
    });
    expect(naming.map(({ name }) => name).sort()).toEqual([
      'GET /api/audit',
      'GET /api/audit/export',
      'GET /api/rules/why',
      'GET /api/tools',
      'POST /api/tools/invoke',
    ]);
    const [{ toolId }] = (await home.ask('GET', '/api/tools?tool=notes.echo')).body;
    for (const name of ['notes__echo', 'notes.echo', toolId as string]) {
      const encoded = encodeURIComponent(name);
      const statuses = [
        (await home.ask('GET', `/api/audit?handle=${encoded}`)).status,
        (await home.ask('GET', `/api/audit/export?handle=${encoded}`)).status,
        (await home.ask('POST', '/api/tools/invoke', { body: { toolId: name, arguments: { text: 'x' } } })).status,
        (await home.ask('POST', '/api/commands', { body: { line: `!mcp-call ${name}` } })).body.status,
        (await home.ask('POST', '/api/commands', { body: { line: `!mcp-load ${name}` } })).body.status,
      ];
      expect([name, ...statuses]).toEqual([name, 200, 200, 403, 'error', 'error']);
    }
    await expect(home.host.agent().call('notes__echo', { text: 'x' })).rejects.toMatchObject({ code: 'denied' });
    // It writes a line for each call that reaches it.
    expect((await home.ask('GET', '/api/servers/notes/logs')).body).toEqual({ server: 'notes', lines: [], next: 0 });
    await expect
      .poll(async () => (await home.ask('GET', '/api/audit?decision=auto_denied')).body.length, { timeout: 5_000 })
      .toBe(4);
  });

  it('S11, R20, R22: the two samples of D1 and a bad entry are imported, edited, and deleted by awaited removals', async () => {
    await using docker = await recordedDocker({ 'ghcr.io/github/github-mcp-server': { mode: 'stdio' } });
    const image = 'ghcr.io/github/github-mcp-server';
    await using home = await cortexHome({ home: folder, env: { ...docker.env, HOME: '/nowhere' } });
    const cursor = { mcpServers: { github: { command: 'docker', args: ['run', '--rm', '-i', image] } } };
    const desktop = { mcpServers: { files: { command: 'docker', args: ['run', '-i', image] }, bad: { args: ['x'] } } };
    const imported = async (value: object) =>
      (await home.ask('POST', '/api/mcp-servers/import-json', { body: { json: JSON.stringify(value) } })).body;
    const first = await imported(cursor);
    const second = await imported(desktop);
    expect(second).toMatchObject({ count: 1, skipped: [{ key: 'bad', reason: expect.stringContaining('command') }] });
    const again = await imported(cursor);
    expect(again).toMatchObject({ created: [], updated: [{ serverId: first.created[0].serverId }] });

    for (const ref of ['github', 'files']) {
      expect((await home.ask('POST', '/api/mcp/load', { body: { ref } })).body.status).toBe('ok');
    }
    const edited = {
      name: 'files',
      command: 'docker',
      args: ['run', '-i', '-e', 'LEVEL', image],
      env: { LEVEL: 'high' },
    };
    expect((await home.ask('PATCH', '/api/mcp-servers/files', { body: edited })).status).toBe(200);
    expect(await docker.containers()).toHaveLength(1);
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'files' } });
    expect(await docker.containers()).toHaveLength(2);
    for (const ref of ['github', 'files']) {
      const before = (await docker.containers()).length;
      expect((await home.ask('DELETE', `/api/mcp-servers/${ref}`)).body).toMatchObject({
        ok: true,
        process_removed: true,
      });
      // Not a moment later: the answer waited for it.
      expect(await docker.containers()).toHaveLength(before - 1);
    }
    expect((await docker.started('rm', '-f')).length).toBeGreaterThanOrEqual(3);
    expect((await home.ask('GET', '/api/mcp-servers')).body).toEqual([]);
  });

  it('S12, R59: what an older version left is untouched, listed with what to do, and removed as told', async () => {
    const name = 'mcp-mcp-time-latest';
    await using docker = await recordedDocker();
    await docker.put(name, {});
    await (await cortexHome({ home: folder, env: docker.env }))[Symbol.asyncDispose]();
    {
      const { agentId } = readIdentity(join(folder, 'home', 'identity.json'));
      await using store = await openStore({ path: join(folder, 'home', 'longshore.db'), clock: systemClock });
      const row = {
        mode: 'container',
        config: {},
        image: 'mcp/time:latest',
        args: null,
        enabled: true,
        loaded: true,
      } as const;
      await store.servers.save([{ ...row, agentId, name, serverKey: 'mcp-time' as ServerKey, actor: 'operator' }]);
    }
    const before = await docker.calls();
    await using home = await cortexHome({ home: folder, env: { ...docker.env, HOME: '/nowhere' } });
    const status = (await home.ask('GET', '/api/mcp/status')).body;
    expect(status).toMatchObject({ servers: [], legacy: [{ name, image: 'mcp/time:latest' }] });
    expect(status.legacy[0].sentence).toContain(`!mcp-unload ${name}`);
    expect(status.legacy[0].sentence).toContain('!mcp-load mcp/time:latest');
    const listed = await home.ask('POST', '/api/commands', { body: { line: '!mcp-list' } });
    expect(listed.body.data.servers).toMatchObject([{ id: name, legacy: true, tools: [] }]);
    for (const [method, path, body] of [
      ['POST', '/api/mcp/load', { ref: name }],
      ['POST', '/api/mcp/reload', { ref: name }],
      ['PATCH', `/api/mcp-servers/${name}`, { enabled: true }],
    ] as const) {
      expect([path, (await home.ask(method, path, { body })).status]).toEqual([path, 400]);
    }
    const line = (text: string) => home.ask('POST', '/api/commands', { body: { line: text } });
    expect((await line(`!mcp-unload ${name}`)).body).toMatchObject({ status: 'ok', data: { saved_removed: true } });
    expect((await home.ask('GET', '/api/mcp/status')).body.legacy).toEqual([]);
    expect(await docker.containers()).toEqual([name]);
    const ran = (await docker.calls()).slice(before.length).map(({ argv }) => argv[0]);
    expect(ran.filter(command => !['version', 'ps', 'container', 'info'].includes(command ?? ''))).toEqual([]);
  });

  it('S14: a server that is started anew revokes every old handle, of unchanged tools too, and stays saved as it was', async () => {
    await using home = await cortexHome({ home: folder });
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
    await home.ask('PUT', '/api/rules', { body: { level: 'allow', pattern: 'notes.*' } });
    const saved = (await home.ask('GET', '/api/mcp-servers')).body[0];
    const agent = home.host.agent();
    const old = agent.tools();
    expect((await agent.call(old[0] ?? '', { text: 'x' })).result['isError']).not.toBe(true);
    await home.ask('POST', '/api/mcp/reload', { body: { ref: 'notes' } });
    for (const tool of old)
      await expect(agent.call(tool, { text: 'x' })).rejects.toMatchObject({ code: 'stale-handle' });
    expect(agent.tools().map(({ name }) => name)).toEqual(old.map(({ name }) => name));
    const after = (await home.ask('GET', '/api/mcp-servers')).body[0];
    expect({ ...after, holdings: [] }).toEqual({ ...saved, holdings: [] });
  });

  it('S15: a secret of a server is in no answer, no problem, no event, no log and no record', async () => {
    const logged: string[] = [];
    const keep = (fields: object, message: string) => void logged.push(`${JSON.stringify(fields)} ${message}`);
    const log = { debug: keep, info: keep, warn: keep, error: keep };
    await using home = await cortexHome({ home: folder, log });
    const events = await watch(home);
    const answers: string[] = [];
    const ask = async (method: string, path: string, body?: unknown) => {
      const { response, body: answer } = await home.ask(method, path, body === undefined ? {} : { body });
      answers.push(
        `${method} ${path} ${response.status} ${await response.text()} ${JSON.stringify([...response.headers])}`,
      );
      return answer;
    };
    const env = { API_TOKEN: canary };
    const telling = `console.error('token ' + process.env.API_TOKEN); console.log(process.env.API_TOKEN); process.exit(3)`;
    await ask('POST', '/api/mcp-servers', fixtureServer('prints', 'prints-secret', { env }));
    await ask('POST', '/api/mcp-servers', { name: 'dies', command: process.execPath, args: ['-e', telling], env });
    await ask('POST', '/api/mcp-servers', fixtureServer('notes', 'two-tools', { env }));
    await ask('POST', '/api/mcp-servers', {
      name: 'far',
      url: 'http://127.0.0.1:9/mcp',
      headers: { Authorization: `Bearer ${canary}` },
    });
    await ask('POST', '/api/mcp-servers', { name: 'bad', command: 'x', args: ['--token', canary] });
    await ask('PUT', '/api/secrets/MINE', { value: canary });
    for (const ref of ['prints', 'dies', 'notes', 'far']) {
      await ask('POST', '/api/mcp/load', { ref });
      await ask('POST', '/api/mcp/explain', { ref });
      await ask('GET', `/api/servers/${ref}/logs`);
      await ask('POST', `/api/mcp-servers/${ref}/refresh-tools`);
      await ask('GET', `/api/tools?server=${ref}`);
      await ask('POST', '/api/commands', { line: `!mcp-load ${ref}` });
    }
    const waits = await ask('POST', '/api/tools/invoke', { toolId: 'notes.echo', arguments: { text: canary } });
    await ask('GET', `/api/approvals/${waits.approvalId}`);
    await ask('POST', `/api/approvals/${waits.approvalId}`, { approve: false, reason: 'no' });
    await ask('POST', '/api/tools/invoke', { toolId: 'notes.echo', arguments: { [canary]: 1 } });
    await ask('POST', '/api/commands', { line: `!mcp-load ${canary}` });
    await ask('POST', '/api/mcp-servers/import-json', {
      json: JSON.stringify([{ name: 'x', command: 'y', env }, 'z']),
    });
    for (const path of [
      '/api/mcp-servers',
      '/api/mcp/status',
      '/api/approvals?state=all',
      '/api/rules',
      '/api/audit?limit=1000',
      '/api/audit/export',
      '/api/secrets',
      '/api/tools/catalog',
      '/api/tokens',
    ]) {
      await ask('GET', path);
    }
    await ask('POST', '/api/commands', { line: '!mcp-list' });
    await ask(
      'PATCH',
      '/api/mcp-servers/notes',
      fixtureServer('notes', 'noisy', { env: { API_TOKEN: `${canary}-2` } }),
    );
    await ask('DELETE', '/api/mcp-servers/dies');
    expect(answers.length).toBeGreaterThan(45);
    expect(events.text()).toContain('event: server.state');
    expect(events.text()).toContain('event: approval.resolved');
    for (const text of [...answers, events.text(), ...logged]) expect(text).not.toContain('4711-zebra');
    await events.stop();
  });
});

describe('events', { timeout: 60_000 }, () => {
  it('tell of servers, their tools, what is saved, questions and rules, each with its agent', async () => {
    await using home = await cortexHome({ home: folder });
    const events = await watch(home);
    await home.ask('POST', '/api/mcp-servers', { body: fixtureServer('notes', 'two-tools') });
    await home.ask('POST', '/api/mcp/load', { body: { ref: 'notes' } });
    const { body } = await home.ask('POST', '/api/tools/invoke', {
      body: { toolId: 'notes.echo', arguments: { text: 'x' } },
    });
    await home.ask('POST', `/api/approvals/${body.approvalId}`, { body: { approve: true } });
    await home.ask('POST', '/api/tools/invoke', { body: { toolId: 'notes.fail' } });
    await home.ask('PUT', '/api/rules', { body: { level: 'deny', pattern: 'notes.fail' } });
    await home.ask('DELETE', '/api/mcp-servers/notes');
    const told = () =>
      [...events.text().matchAll(/event: (\S+)\ndata: (.*)\n/g)].map(([, type = '', data = '{}']) => ({
        type,
        data: JSON.parse(data),
      }));
    await expect.poll(() => told().at(-1)?.type, { timeout: 5_000 }).toBe('servers.changed');
    const types = told().map(({ type }) => type);
    for (const type of [
      'hello',
      'servers.changed',
      'server.state',
      'tools.changed',
      'approval.added',
      'approval.changed',
      'approval.resolved',
      'approval.withdrawn',
      'rules.changed',
    ]) {
      expect(types).toContain(type);
    }
    const { agentId } = home.host.agent();
    const states = told().flatMap(({ type, data }) => (type === 'server.state' ? [data] : []));
    expect([...new Set(states.map(({ state }) => state))]).toEqual(['starting', 'connected', 'stopping', 'stopped']);
    for (const { sentence, server, agentId: of } of states)
      expect([server, of, sentence !== '']).toEqual(['notes', agentId, true]);
    expect(told().find(({ type }) => type === 'approval.added')?.data).toMatchObject({
      agentId,
      handleName: 'notes__echo',
      tool: 'echo',
      state: 'pending',
    });
    await events.stop();
  });
});

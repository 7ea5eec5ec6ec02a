import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, openHost } from '../../src/index.ts';
import { docker, fixtureImage } from '../fixtures/docker/images.ts';
import { foreignDatabase } from '../fixtures/foreign-database.ts';
import { containersOf, realEngine } from './docker-test.ts';

const engine = await realEngine();

describe.runIf(engine.available)('saved container servers on a real engine', { timeout: 180_000 }, () => {
  let home = '';
  let host: Host;
  let agent: Agent;
  let image = '';

  beforeAll(async () => {
    image = await fixtureImage('stdio');
  }, 180_000);

  async function open(): Promise<void> {
    host = await openHost({
      home,
      handleSignals: false,
      rules: [{ level: 'allow', pattern: '*.*' }],
      // A machine that is busy with other tests is no reason to fail.
      deadlines: { open: 60_000, containerReady: 60_000 },
    });
    agent = host.agent();
  }

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'longshore-saved-docker-'));
    await open();
  });

  afterEach(async () => {
    await host.dispose();
    const left = await containersOf(agent.agentId);
    await rm(home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });

  it('R4, S11: what was imported and runs is removed by force, awaited, before its row is deleted', async () => {
    const name = `saved-${randomBytes(4).toString('hex')}`;
    const entry = { command: 'docker', args: ['run', '--rm', '-i', image] };
    const { created } = await agent
      .saved('operator')
      .importJson(JSON.stringify({ mcpServers: { [name]: entry, [`${name}-two`]: entry, bad: {} } }));
    expect(created.map(server => server.name)).toEqual([name, `${name}-two`]);
    expect(await containersOf(agent.agentId)).toEqual([]);
    for (const server of created) await agent.load(server.name);
    expect(await containersOf(agent.agentId)).toHaveLength(2);
    // Changing one ends what runs of it and nothing else.
    await agent.saved().change(name, { env: { LEVEL: 'debug' } });
    expect(await containersOf(agent.agentId)).toEqual([expect.stringContaining(`${name}-two`)]);
    await agent.load(name);
    for (const server of created) {
      expect(await agent.saved().remove(server.serverId ?? '')).toMatchObject({
        process_removed: true,
        saved_removed: true,
      });
    }
    expect(await containersOf(agent.agentId)).toEqual([]);
    expect(await agent.saved().list()).toEqual([]);
  });

  it('R32, R68, R69: a saved image comes back as a container of that image on its first call, and unloading forgets it', async () => {
    const { server, tools } = await agent.load(image, { save: true });
    const [tool] = tools;
    if (!tool) throw new Error('the image offers nothing');
    await host.dispose();
    expect(await containersOf(agent.agentId)).toEqual([]);
    await open();
    expect(agent.tools().map(one => one.name)).toEqual(tools.map(one => one.name));
    expect(await agent.list()).toMatchObject([{ server, kind: 'docker-image', image, state: 'stopped', saved: true }]);
    expect(await containersOf(agent.agentId)).toEqual([]);
    await agent.call(tool.name, { text: 'hi' });
    expect(await containersOf(agent.agentId)).toHaveLength(1);
    expect(await agent.unload(image)).toMatchObject({ process_removed: true, saved_removed: true });
    expect([await containersOf(agent.agentId), await agent.list()]).toEqual([[], []]);
  });

  it('R55: refreshing the tools of an image leaves no container, and of a live one starts none', async () => {
    await agent.saved().add(image);
    const { tools } = await agent.saved().refreshTools(image);
    expect(tools.length).toBeGreaterThan(0);
    expect(await containersOf(agent.agentId)).toEqual([]);
    await agent.load(image);
    const before = await containersOf(agent.agentId);
    await agent.saved().refreshTools(image);
    expect(await containersOf(agent.agentId)).toEqual(before);
  });

  it('S12, R27, R59: an old container and an old row stay as they are, and removing the row removes no container', async () => {
    const old = `mcp-old-${randomBytes(4).toString('hex')}`;
    await docker('create', '--name', old, image);
    try {
      const { agentId } = agent;
      await host.dispose();
      const database = foreignDatabase(join(home, 'longshore.db'));
      database
        .prepare(
          `insert into servers (server_id, agent_id, name, server_key, mode, image, enabled, actor, created_at, updated_at)
           values ('old', ?, ?, ?, 'container', ?, 1, 'operator', 1, 1)`,
        )
        .run(agentId, old, old, image);
      database.close();
      await open();
      expect(await agent.list()).toMatchObject([{ resourceId: old, state: 'legacy' }]);
      await expect(agent.load(old)).rejects.toThrow(`!mcp-unload ${old}, then !mcp-load ${image}`);
      expect(await agent.unload(old)).toMatchObject({ process_removed: 'not_running', saved_removed: true });
      expect(await docker('ps', '--all', '--filter', `name=^${old}$`, '--format', '{{.Names}} {{.State}}')).toBe(
        `${old} created`,
      );
    } finally {
      await docker('rm', '-f', old);
    }
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, openHost, type Tool } from '../../src/index.ts';
import { fixtureImage } from '../fixtures/docker/images.ts';
import { allContainers, realEngine } from './docker-test.ts';

const engine = await realEngine();

describe.runIf(engine.available)('governed calls of servers in containers', { timeout: 120_000 }, () => {
  let folder = '';
  let before: readonly string[] = [];
  let host: Host;
  let agent: Agent;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-governed-docker-'));
    before = await allContainers();
    host = await openHost({ home: join(folder, 'home'), handleSignals: false });
    agent = host.agent();
  });

  afterEach(async () => {
    await host.dispose();
    await rm(folder, { recursive: true, force: true });
    expect(await allContainers()).toEqual(before);
  });

  function echoOf(owner: Agent, server: string): Tool {
    const tool = owner.tools().find(one => one.server === server && one.tool === 'echo');
    if (!tool) throw new Error(`${server} has no echo`);
    return tool;
  }

  it('S2: a reload fails the calls that wait on that image, and a call that waits on another still runs', async () => {
    const [one, two] = await Promise.all([
      agent.load(await fixtureImage('stdio')),
      agent.load(await fixtureImage('stdio-deaf')),
    ]);
    const asked: string[] = [];
    const all = Promise.withResolvers<void>();
    const stop = agent.approvals.onEvent(({ what, approval }) => {
      if (what === 'added') asked.push(approval.id);
      if (asked.length === 3) all.resolve();
    });
    const waiting = ['a', 'b'].map(text =>
      agent.call(echoOf(agent, one.server), { text }).catch((error: unknown) => error),
    );
    const other = agent.call(echoOf(agent, two.server), { text: 'still here' });
    await all.promise;
    await agent.reload(one.server);
    for (const failed of waiting) expect(await failed).toMatchObject({ code: 'stale-handle' });
    const [left, ...more] = agent.approvals.open();
    if (!left) throw new Error('nothing waits any more');
    expect(more).toEqual([]);
    await agent.approvals.decide(host.operator, left.id, { approve: true });
    expect((await other).result['content']).toEqual([{ type: 'text', text: 'still here' }]);
    stop();
  });

  it('S3: a denied tool of an image is denied however it is called, and the container is never asked', async () => {
    const { server } = await agent.load(await fixtureImage('stdio'));
    const echo = echoOf(agent, server);
    await agent.rules.add(host.operator, { level: 'deny', pattern: `${server}.echo` });
    for (const tool of [echo, echo.handle, echo.name]) {
      await expect(agent.call(tool, { text: 'x' })).rejects.toMatchObject({ code: 'denied' });
    }
    await agent.reload(server);
    await expect(agent.call(echo.name, { text: 'x' })).rejects.toMatchObject({ code: 'denied' });
    const rows = await agent.audit.list({ limit: 50, order: 'oldest-first' });
    expect(rows.filter(row => row.handle_name === echo.name).map(row => row.kind)).not.toContain('authorisation');
    expect((await agent.audit.verify()).ok).toBe(true);
  });

  it('S4: what one agent denies and ends, another goes on with', async () => {
    const other = host.agent('did:example:other');
    const image = await fixtureImage('stdio');
    const [{ server }] = [await agent.load(image), await other.load(image)];
    await agent.rules.add(host.operator, { level: 'deny', pattern: '*.*' });
    await other.rules.add(host.operator, { level: 'allow', pattern: '*.*' });
    await expect(agent.call(echoOf(agent, server).name, { text: 'x' })).rejects.toMatchObject({ code: 'denied' });
    await agent.dispose();
    const { result } = await other.call(echoOf(other, server), { text: 'mine' });
    expect(result['content']).toEqual([{ type: 'text', text: 'mine' }]);
  });
});

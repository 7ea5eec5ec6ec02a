import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, type HostOptions, openHost } from '../../src/index.ts';

const everything = {
  name: 'everything',
  command: process.execPath,
  args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js'],
};

describe('governed calls on a real server', { timeout: 60_000 }, () => {
  let folder = '';
  const hosts: Host[] = [];

  async function open(options: HostOptions = {}): Promise<{ host: Host; agent: Agent }> {
    const host = await openHost({ home: join(folder, 'home'), handleSignals: false, ...options });
    hosts.push(host);
    const agent = host.agent();
    await agent.load(everything);
    return { host, agent };
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-governed-'));
  });

  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('S1: asks by default, runs what was approved once, and records both', async () => {
    const { host, agent } = await open();
    const stop = agent.approvals.onEvent(({ what, approval }) => {
      if (what === 'added') void agent.approvals.decide(host.operator, approval.id, { approve: true });
    });
    const { result } = await agent.call('everything__echo', { message: 'hi' });
    stop();
    expect(result['content']).toEqual([{ type: 'text', text: 'Echo: hi' }]);
    const rows = await agent.audit.list({ order: 'oldest-first', limit: 50 });
    expect(rows.map(row => row.decision)).toContain('user_approved');
    expect((await agent.audit.verify()).ok).toBe(true);
    await agent.unload('everything');
    expect(agent.tools()).toEqual([]);
  });

  it('tells a call that nobody watches where to be approved, and runs the next identical one once', async () => {
    const { host, agent } = await open();
    const call = () => agent.call('everything__echo', { message: 'later' });
    await expect(call()).rejects.toMatchObject({ code: 'approval-pending' });
    const [question] = agent.approvals.open();
    if (!question) throw new Error('nothing was asked');
    await agent.approvals.decide(host.operator, question.id, { approve: true });
    expect((await call()).result['content']).toEqual([{ type: 'text', text: 'Echo: later' }]);
    await expect(call()).rejects.toMatchObject({ code: 'approval-pending' });
  });

  it('S3: a denied tool is denied by name, by handle, after an approval for the session and after a restart', async () => {
    const { host, agent } = await open();
    const echo = agent.tools().find(tool => tool.tool === 'echo');
    if (!echo) throw new Error('no echo');
    await expect(agent.call(echo, { message: 'x' })).rejects.toMatchObject({ code: 'approval-pending' });
    const [question] = agent.approvals.open();
    if (!question) throw new Error('nothing was asked');
    await agent.approvals.decide(host.operator, question.id, { approve: true, scope: 'session' });
    await agent.call(echo, { message: 'x' });
    await agent.rules.add(host.operator, { level: 'deny', pattern: 'everything.echo', reason: 'no echoes' });
    for (const tool of [echo, echo.name, echo.handle]) {
      await expect(agent.call(tool, { message: 'x' })).rejects.toMatchObject({ code: 'denied' });
    }
    expect(agent.rules.why(echo.name).because).toContain('everything.echo');
    await host.dispose();
    const again = await open();
    await expect(again.agent.call('everything__echo', { message: 'x' })).rejects.toMatchObject({ code: 'denied' });
    expect((await again.agent.audit.verify()).ok).toBe(true);
  });

  it('S2, R41: a reload ends the calls that wait on its old handles, and a late approval runs nothing', async () => {
    const { host, agent } = await open();
    const asked = Promise.withResolvers<void>();
    const stop = agent.approvals.onEvent(({ what }) => what === 'added' && asked.resolve());
    const waiting = agent.call('everything__echo', { message: 'x' }).catch((error: unknown) => error);
    await asked.promise;
    const [question] = agent.approvals.open();
    if (!question) throw new Error('nothing was asked');
    const reloaded = agent.reload('everything');
    expect(await waiting).toMatchObject({ code: 'stale-handle' });
    await reloaded;
    await expect(agent.approvals.decide(host.operator, question.id, { approve: true })).rejects.toThrow(/./);
    expect(agent.approvals.open()).toEqual([]);
    stop();
  });

  it('refuses a decision without the operator', async () => {
    const { agent } = await open();
    const forged = Object.freeze({}) as Host['operator'];
    await expect(agent.rules.add(forged, { level: 'allow', pattern: '*.*' })).rejects.toMatchObject({ code: 'denied' });
  });
});

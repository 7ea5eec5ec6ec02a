import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, type HostOptions, openHost } from '../../src/index.ts';
import { docker, type FixtureImage, fixtureImage } from '../fixtures/docker/images.ts';
import { containersOf, realEngine } from './docker-test.ts';

const engine = await realEngine();

/** A machine that is busy with other tests is no reason to fail. */
const deadlines = { open: 60_000, containerReady: 60_000 };

describe.runIf(engine.available)('container servers on a real engine', { timeout: 180_000 }, () => {
  let host: Host;
  let agent: Agent;
  let folder: string;
  const images = new Map<FixtureImage, string>();

  beforeAll(async () => {
    const names: readonly FixtureImage[] = [
      'stdio',
      'stdio-deaf',
      'stdio-exposed',
      'silent',
      'http',
      'http-quiet',
      'http-labelled',
      'http-noisy',
      'http-chunked',
      'http-loopback',
      'malicious',
      'malicious-exposed',
      'sse',
      'crash',
      'hungry',
    ];
    for (const name of names) images.set(name, await fixtureImage(name));
  }, 180_000);

  const image = (name: FixtureImage): string => images.get(name) ?? '';
  const dockerRun = (name: FixtureImage, ...flags: readonly string[]) => ({
    name: 'fixture',
    command: 'docker',
    args: ['run', ...flags, image(name)],
  });

  async function open(options: HostOptions = {}): Promise<Host> {
    return openHost({
      ephemeral: true,
      handleSignals: false,
      rules: [{ level: 'allow', pattern: '*.*' }],
      deadlines,
      ...options,
    });
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-servers-'));
    host = await open();
    agent = host.agent();
  });

  afterEach(async () => {
    await host.dispose();
    await rm(folder, { recursive: true, force: true });
    const left = await containersOf(agent.agentId);
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });

  async function say(server: string, text: string): Promise<unknown> {
    return (await agent.call(`${server}__echo`, { text })).result;
  }

  const said = (text: string) => ({ content: [{ type: 'text', text }] });

  it.each([
    ['stdio', 'stdio'],
    ['stdio-deaf', 'stdio'],
    ['http', 'streamable-http'],
    ['http-quiet', 'streamable-http'],
    ['http-labelled', 'streamable-http'],
    ['http-noisy', 'streamable-http'],
    ['http-chunked', 'streamable-http'],
    ['malicious-exposed', 'streamable-http'],
  ] as const)('R6, R7, R8: one configuration serves %s, over %s, and R2: leaves nothing', async (name, transport) => {
    const loaded = await agent.load(dockerRun(name));
    expect(loaded.transport).toBe(transport);
    expect(await say('fixture', 'hi')).toMatchObject(said('hi'));
    const phase = transport === 'stdio' ? 'probe' : 'mcp';
    expect(await containersOf(agent.agentId)).toEqual([`rax-${phase}-fixture-${process.pid} running`]);
    await agent.cleanupMcpTransport('fixture');
    expect(await containersOf(agent.agentId)).toEqual([]);
    await agent.cleanupMcpTransport('fixture');
  });

  it('R11, R61: what is published is on loopback only, also where the user wrote a port of this machine', async () => {
    const port = await freePort();
    await agent.load(dockerRun('http', '-p', `${port}:3000`));
    const ports = await docker(
      'inspect',
      '--format',
      '{{json .NetworkSettings.Ports}}',
      `rax-mcp-fixture-${process.pid}`,
    );
    expect(JSON.parse(ports)).toEqual({ '3000/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] });
    expect(await say('fixture', 'there')).toMatchObject(said('there'));
    await expect(agent.load({ ...dockerRun('http', '-p', '0.0.0.0:3000:3000'), name: 'wide' })).rejects.toMatchObject({
      code: 'unsafe-refused',
    });
  });

  it('R17, S15: values of -e NAME reach the container and appear in no argument', async () => {
    const config = { ...dockerRun('stdio', '-e', 'TOKEN'), env: { TOKEN: 'sk-canary-4711' } };
    await agent.load(config);
    expect((await agent.call('fixture__env', { name: 'TOKEN' })).result).toMatchObject(said('sk-canary-4711'));
    const processes = execFileSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' });
    expect(processes).toContain(image('stdio'));
    expect(processes).not.toContain('sk-canary-4711');
  });

  it('S9: a slow banner is waited for, and its server is then reached over HTTP', async () => {
    const loaded = await agent.load(dockerRun('http', '-e', 'DELAY_MS=8000'));
    expect(loaded.transport).toBe('streamable-http');
    expect(await say('fixture', 'late')).toMatchObject(said('late'));
  });

  it('R9: a slow server on stdio is found although its image exposes a port', async () => {
    const config = dockerRun('stdio-exposed', '-e', 'DELAY_MS=9000');
    const loaded = await agent.load(config, { deadlines: { ...deadlines, containerReady: 2_000 } });
    expect(loaded.transport).toBe('stdio');
  });

  it('S10: a stranger’s address in the log is never used; without another hint the start fails', async () => {
    const start = agent.load(dockerRun('malicious'), { deadlines: { open: 4_000, containerReady: 4_000 } });
    await expect(start).rejects.toMatchObject({ code: 'timeout' });
    expect(await containersOf(agent.agentId)).toEqual([]);
  });

  it.each([
    ['crash', /exited with code 1.*configuration file is missing/s],
    ['sse', /\/mcp answered HTTP 404/],
    ['http-loopback', /listen on 0\.0\.0\.0/],
  ] as const)('tells why %s does not start, and leaves nothing of it', async (name, why) => {
    await expect(agent.load(dockerRun(name), { deadlines: { containerReady: 4_000 } })).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringMatching(why),
    });
    expect(await containersOf(agent.agentId)).toEqual([]);
  });

  it('S4: two agents with one configuration have two containers; disposing of one leaves the other', async () => {
    const other = host.agent('did:key:zOther');
    await Promise.all([agent.load(dockerRun('stdio')), other.load(dockerRun('stdio'))]);
    expect(await containersOf(other.agentId)).toHaveLength(1);
    expect(await containersOf(agent.agentId)).toHaveLength(1);
    await other.dispose();
    expect(await containersOf(other.agentId)).toEqual([]);
    expect(await say('fixture', 'still here')).toMatchObject(said('still here'));
  });

  it('R19: a container of their name that is not ours is left alone', async () => {
    const name = `rax-probe-fixture-${process.pid}`;
    await docker('create', '--name', name, image('stdio'));
    try {
      await expect(agent.load(dockerRun('stdio'))).rejects.toMatchObject({ code: 'name-in-use' });
      expect(await docker('inspect', '--format', '{{.State.Status}}', name)).toBe('created');
    } finally {
      await docker('rm', '-f', name);
    }
  });

  it('R55, R57: an image runs hardened under the identity of agent and image', async () => {
    const loaded = await agent.load(image('stdio'), { container: { network: 'none', memory: '256m' } });
    expect(loaded).toMatchObject({ kind: 'docker-image', transport: 'stdio' });
    const [container = ''] = await containersOf(agent.agentId);
    const [name = ''] = container.split(' ');
    expect(name).toMatch(/^mcp-longshore-fixture-stdio-[0-9a-f-]+$/);
    const facts = JSON.parse(await docker('inspect', '--format', '{{json .HostConfig}}', name));
    expect(facts).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      NetworkMode: 'none',
      Memory: 256 * 1024 * 1024,
      PidsLimit: 512,
      Privileged: false,
    });
    await agent.unload(image('stdio'));
    expect(await containersOf(agent.agentId)).toEqual([]);
  });

  it('R46: an image that serves HTTP is reached at /mcp', async () => {
    expect(await agent.load(image('http'))).toMatchObject({ kind: 'docker-image', transport: 'streamable-http' });
    await agent.reload(image('http'));
    expect(await containersOf(agent.agentId)).toHaveLength(1);
  });

  it('R58: an image that fails is listed with its id and its reason, kept stopped, and can be unloaded', async () => {
    await expect(agent.load(image('crash'))).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringMatching(/mcp-longshore-fixture-crash-/),
    });
    const [listed] = await agent.list();
    expect(listed).toMatchObject({ state: 'failed', image: image('crash'), tools: [] });
    expect(await containersOf(agent.agentId)).toEqual([expect.stringMatching(/ exited$/)]);
    await agent.unload(image('crash'));
    expect(await containersOf(agent.agentId)).toEqual([]);
  });

  it('D12: an image that wants more memory than it may have is told apart from one that crashes, with the limit and the setting', async () => {
    await expect(agent.load(image('hungry'), { container: { memory: '96m' } })).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringMatching(
        /Code 137: it was killed for using more memory than its limit of 96 MiB\. Raise it with "memory"/,
      ),
      data: { outOfMemory: true },
    });
  });

  it('R50: a start that is cancelled at any moment has left nothing when it rejects', async () => {
    for (let round = 0; round < 10; round += 1) {
      const abort = new AbortController();
      const moment = after(round * 250).then(() => abort.abort());
      const config = { ...dockerRun(round % 2 === 0 ? 'silent' : 'http-quiet'), name: `round-${round}` };
      await expect(agent.load(config, { signal: abort.signal })).rejects.toMatchObject({ code: 'cancelled' });
      await moment;
      expect(await containersOf(agent.agentId)).toEqual([]);
    }
    await after(3_000);
    expect(await containersOf(agent.agentId)).toEqual([]);
  });

  it('S8: many servers are disposed of together, deaf ones too', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(names.map(name => agent.load({ ...dockerRun('stdio-deaf'), name })));
    expect(await containersOf(agent.agentId)).toHaveLength(5);
    await agent.dispose();
    expect(await containersOf(agent.agentId)).toEqual([]);
  });

  it('a server whose container is removed by somebody else is lost, and can be loaded again', async () => {
    await agent.load(dockerRun('stdio'));
    await docker('rm', '-f', `rax-probe-fixture-${process.pid}`);
    while ((await agent.list())[0]?.state === 'connected') await after(50);
    await agent.load(dockerRun('stdio'));
    expect(await say('fixture', 'again')).toMatchObject(said('again'));
  });

  it('S5: keeps what could not be removed, says so, and removes it when the engine is back', async () => {
    const socket = join(folder, 'docker.sock');
    const first = await relay(socket);
    await agent.load({ ...dockerRun('stdio-deaf'), env: { DOCKER_HOST: `unix://${socket}` } });
    await first.close();
    const refused = await agent.unload('fixture').catch((error: unknown) => error);
    const listed = await agent.list();
    const left = await containersOf(agent.agentId);
    const second = await relay(socket);
    await agent.unload('fixture');
    expect(refused).toMatchObject({ code: 'close-failed' });
    expect(listed).toMatchObject([{ state: 'close-failed' }]);
    expect(left).toHaveLength(1);
    expect(await containersOf(agent.agentId)).toEqual([]);
    await second.close();
  });

  it('S6, R5: what a host was starting when it was killed is removed within seconds', async () => {
    const script = new URL('./doomed-host.ts', import.meta.url).pathname;
    const env = { ...process.env, TMPDIR: folder };
    for (const wait of [300, 800, 1_500, 4_000]) {
      const child = spawn(process.execPath, [script, image('stdio-deaf'), image('http')], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env,
      });
      const [told] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
      const did = told.trim();
      await after(wait);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const killed = Date.now();
      await after(4_000);
      while ((await containersOf(did)).length > 0 && Date.now() - killed < 60_000) await after(200);
      expect(await containersOf(did)).toEqual([]);
    }
    const ids = async () => (await readdir(folder)).filter(name => name.startsWith('longshore-cid-'));
    while ((await ids()).length > 0) await after(200);
    expect(await ids()).toEqual([]);
  });
});

/** A port of this machine's loopback that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise(closed => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A way to the real engine that can be closed: for those who use it, the engine then does not answer. */
async function relay(path: string): Promise<{ close(): Promise<void> }> {
  const real = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, inner => {
    const outer = connect({ path: real, allowHalfOpen: true });
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
  });
  await new Promise<void>(listening => server.listen(path, listening));
  return {
    async close() {
      const closed = new Promise(done => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, openHost } from '../../src/index.ts';
import { type RecordedDocker, recordedDocker } from '../fixtures/docker/recorded-docker.ts';
import { eventually } from './run-longshore.ts';

/** What docker says of every command while its engine is away. */
const away = {
  match: [],
  code: 1,
  stderr: 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
};

// The same on a real engine: test/docker/engine-restart.test.ts.
describe('an engine that goes away under its servers', { timeout: 120_000 }, () => {
  let home = '';
  let docker: RecordedDocker;
  let host: Host;
  let agent: Agent;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'longshore-away-'));
    docker = await recordedDocker({ 'notes:1': { mode: 'stdio' } });
    host = await openHost({
      home,
      handleSignals: false,
      env: { ...docker.env, HOME: '/nowhere' },
      rules: [{ level: 'allow', pattern: '*.*' }],
      deadlines: { open: 60_000, containerReady: 60_000 },
    });
    agent = host.agent();
  });

  afterEach(async () => {
    await docker.script([]);
    await host.dispose();
    const left = await docker.containers();
    await docker[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });

  const config = { name: 'notes', command: 'docker', args: ['run', 'notes:1'] };
  const health = async () => (await host.service().operator(agent.agentId, 'rest').servers())[0]?.health;
  const call = () => agent.call('notes__echo', { text: 'hi' });

  /** The commands that are attached to containers end, and every other one fails. */
  async function goAway(): Promise<void> {
    await docker.script([away]);
    for (const { event, argv, pid, container } of await docker.calls()) {
      if (event === 'started' && argv.includes('run'))
        for (const one of [container, pid]) if (one) process.kill(one, 'SIGKILL');
    }
    expect(await eventually(async () => (await health())?.action.label === 'Start Docker', 30_000)).toBe(true);
  }

  it.each([
    ['saved', true],
    ['only loaded', false],
  ])(
    'R67: leaves one that is %s as unreachable, with one thing to do, and its next call starts it once the engine is back',
    async (_, save) => {
      await agent.load(config, { save });
      await goAway();
      expect(await health()).toMatchObject({
        state: 'unreachable',
        sentence: expect.stringMatching(/^The Docker engine does not answer/),
        needsAttention: true,
      });
      // As often as somebody asks: an engine that is away is no crash of the server.
      for (let times = 0; times < 7; times += 1)
        await expect(call()).rejects.toMatchObject({ code: 'docker-unavailable' });
      expect(await health()).toMatchObject({ state: 'unreachable', action: { label: 'Start Docker' } });
      await docker.script([]);
      expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
      expect(await health()).toMatchObject({ state: 'connected' });
      expect(await docker.containers()).toHaveLength(1);
    },
  );

  it('R54, S5: keeps what is unloaded meanwhile in the list, until it can be ended', async () => {
    await agent.load(config);
    await goAway();
    await expect(agent.unload('notes')).rejects.toMatchObject({ code: 'close-failed' });
    expect(await agent.list()).toMatchObject([{ server: 'notes', state: 'close-failed' }]);
    await docker.script([]);
    expect(await agent.unload('notes')).toMatchObject({ process_removed: true });
    expect(await agent.list()).toEqual([]);
  });

  it('R67: found away at a start, is asked again by the next call', async () => {
    await agent.saved().add(config);
    await agent.load('notes');
    await agent.saved().disable('notes');
    await agent.saved().enable('notes');
    await docker.script([away]);
    await expect(call()).rejects.toMatchObject({ code: 'docker-unavailable' });
    expect(await health()).toMatchObject({ state: 'unreachable', action: { label: 'Start Docker' } });
    await docker.script([]);
    await call();
    expect(await health()).toMatchObject({ state: 'connected' });
  });
});

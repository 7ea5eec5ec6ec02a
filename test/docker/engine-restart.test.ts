import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, type Host, openHost } from '../../src/index.ts';
import { eventually, fixture } from '../e2e/run-longshore.ts';
import { fixtureImage } from '../fixtures/docker/images.ts';
import { realEngine } from './docker-test.ts';
import { canStartApart, type EngineApart, startEngineApart } from './engine-apart.ts';

const engine = await realEngine();
if (engine.available && !canStartApart)
  process.stderr.write('Left out: stopping an engine needs one of our own, and root\n');

describe.runIf(engine.available && canStartApart)(
  'an engine that goes away and comes back',
  { timeout: 180_000 },
  () => {
    let apart: EngineApart;
    let image = '';
    let home = '';
    let host: Host;
    let agent: Agent;
    /** The name of each server's tool that gives its text back. */
    const names = new Map<string, string>();

    beforeAll(async () => {
      image = await fixtureImage('stdio');
      apart = await startEngineApart(image);
    }, 180_000);

    afterAll(async () => await apart[Symbol.asyncDispose](), 60_000);

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'longshore-restart-'));
      host = await openHost({
        home,
        handleSignals: false,
        env: { ...process.env, ...apart.env },
        rules: [{ level: 'allow', pattern: '*.*' }],
        // A machine that is busy with other tests is no reason to fail.
        deadlines: { open: 60_000, containerReady: 60_000 },
      });
      agent = host.agent();
    });

    afterEach(async () => {
      await apart.start();
      await host.dispose();
      const left = await apart.docker('ps', '--all', '--quiet');
      await rm(home, { recursive: true, force: true });
      if (left !== '') throw new Error(`left behind: ${left}`);
    });

    const command = () => ({ command: 'docker', args: ['run', '--rm', '-i', image] });
    const runningContainers = async () => (await apart.docker('ps', '--quiet')).split('\n').filter(Boolean).length;
    const echo = async (server: string) =>
      await agent.call(names.get(server) ?? '', { text: server }).then(
        ({ result }) => JSON.stringify(result),
        (error: { code: string }) => error.code,
      );
    const health = async (server: string) =>
      (await host.service().operator(agent.agentId, 'rest').servers()).find(one => one.server === server)?.health;

    /** A saved command that runs, a saved image that runs, a saved command that sleeps, and one that is only loaded. */
    async function servers(): Promise<readonly string[]> {
      const { created } = await agent
        .saved()
        .importJson(JSON.stringify({ mcpServers: { running: command(), sleeping: command() } }));
      for (const { name } of created) await agent.load(name);
      const { server } = await agent.load(image, { save: true });
      await agent.load({ name: 'loaded', ...command() });
      await agent.load({ name: 'beside', command: process.execPath, args: [fixture('two-tools')] });
      for (const { server: of, tool, name } of agent.tools()) if (tool === 'echo') names.set(of, name);
      await agent.saved().disable('sleeping');
      await agent.saved().enable('sleeping');
      expect(await runningContainers()).toBe(3);
      return ['running', 'sleeping', server, 'loaded'];
    }

    for (const how of ['stop', 'kill'] as const) {
      it(`R67: after a ${how} of the engine its servers are told as unreachable, others work, and once it is back each starts with its next call`, async () => {
        const all = await servers();
        await apart[how]();
        const told = async () => {
          const states = await Promise.all(
            ['running', all[2] ?? '', 'loaded'].map(async server => await health(server)),
          );
          return states.every(one => one?.action.label === 'Start Docker');
        };
        expect(await eventually(told, 30_000), JSON.stringify(await agent.list())).toBe(true);
        for (const server of all) expect(await echo(server), server).toBe('docker-unavailable');
        for (const server of all) {
          expect(await health(server)).toMatchObject({
            state: 'unreachable',
            sentence: expect.stringMatching(/Docker/),
            action: { label: 'Start Docker' },
          });
        }
        expect(await echo('beside')).toContain('beside');
        await apart.start();
        for (const server of all) expect(await echo(server), server).toContain(server);
        for (const server of all) expect(await health(server)).toMatchObject({ state: 'connected' });
        expect(await runningContainers()).toBe(4);
      });
    }

    it('R54, S5: what the person unloads while the engine is away is listed as not ended, and ends once it is back', async () => {
      await agent.load({ name: 'loaded', ...command() });
      await apart.stop();
      expect(await eventually(async () => (await health('loaded'))?.action.label === 'Start Docker', 30_000)).toBe(
        true,
      );
      await expect(agent.unload('loaded')).rejects.toMatchObject({ code: 'close-failed' });
      expect(await agent.list()).toMatchObject([{ server: 'loaded', state: 'close-failed' }]);
      await apart.start();
      expect(await agent.unload('loaded')).toMatchObject({ process_removed: true });
      expect(await agent.list()).toEqual([]);
      expect(await apart.docker('ps', '--all', '--quiet')).toBe('');
    });
  },
);

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, processesWith } from '../e2e/run-longshore.ts';
import { fixtureImage } from '../fixtures/docker/images.ts';
import { type Registry, startRegistry } from '../fixtures/docker/registry.ts';
import { allContainers, realEngine } from './docker-test.ts';
import { TestHost } from './test-host.ts';

const engine = await realEngine();

/** Each round kills one host of each aim, side by side: 50 rounds are 200 kills (docs/contributing.md). */
const rounds = Number(process.env['LONGSHORE_KILL_ROUNDS'] ?? 1);

/** What a host is led to before the kill, which comes at a random moment of the next so many milliseconds. */
const aims = { start: 3_000, pull: 1_500, call: 1_000, unload: 600 } as const;
type Aim = keyof typeof aims;

describe.runIf(engine.available)('hosts that are killed at random moments', () => {
  let folder = '';
  let temporary = '';
  let registry: Registry;
  const hosts: TestHost[] = [];
  const progress = new Map<string, number>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-random-'));
    temporary = join(folder, 'tmp');
    await mkdir(temporary);
    registry = await startRegistry();
    for (const manner of ['stdio', 'stdio-deaf', 'http', 'http-labelled'] as const) await fixtureImage(manner);
  }, 120_000);

  afterAll(async () => {
    for (const { child } of hosts) child.kill('SIGTERM');
    await registry[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    process.stderr.write(`moments of the kills: ${[...progress].map(pair => pair.join(' ')).join(', ')}\n`);
  });

  /** Commands of three manners and an image run by Longshore; where it aims at the pull, two more that have to be fetched. */
  async function start(aim: Aim, prefix: string): Promise<TestHost> {
    const command = (name: string, image: string) => ({
      name: `${prefix}-${name}`,
      command: 'docker',
      args: ['run', '--rm', '-i', image],
    });
    const manners = (['stdio', 'stdio-deaf', 'http'] as const).map(async manner =>
      command(manner, await fixtureImage(manner)),
    );
    const pulled = [
      command('stalled', registry.image(`${prefix}-stalled`, 'stalled')),
      registry.image(`${prefix}-slow`, 'slow'),
    ];
    const configs = [...(await Promise.all(manners)), await fixtureImage('http-labelled')];
    const task = { home: join(folder, prefix), configs: aim === 'pull' ? [...configs, ...pulled] : configs };
    const host = new TestHost({ ...task, ...(aim !== 'start' && { call: 'sleep' }) }, { TMPDIR: temporary });
    hosts.push(host);
    return host;
  }

  /** Leads a host to what the kill aims at. */
  async function reaches(aim: Aim, host: TestHost): Promise<boolean> {
    // A few before the host has done anything.
    if (aim === 'start') return Math.random() < 0.2 || (await host.reached('looking-up', 1));
    if (aim === 'pull') return await host.reached('pulling', 2);
    if (aim === 'call') return await host.reached('calling', 1);
    const isReady = await host.reached('ready', 1 + Math.floor(Math.random() * 4));
    host.ask('unload');
    return isReady;
  }

  async function killAtRandom(aim: Aim, host: TestHost): Promise<void> {
    expect(await reaches(aim, host), JSON.stringify(host.told)).toBe(true);
    await after(Math.random() * aims[aim]);
    await host.end('SIGKILL');
    const last = new Map(host.told.flatMap(({ server, phase }) => (server && phase ? [[server, phase]] : [])));
    const unloaded = host.told.some(({ done }) => done === 'unload');
    for (const phase of last.size === 0 ? ['nothing told'] : last.values()) count(phase);
    count(unloaded ? 'unloaded' : `kills of ${aim}`);
  }

  function count(moment: string): void {
    progress.set(moment, (progress.get(moment) ?? 0) + 1);
  }

  it(`R2, R5, R62: ${rounds * 4} kills leave no container, no process and no file, and none appears later`, {
    timeout: rounds * 120_000,
  }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const before = await allContainers();
      const mark = `r${randomBytes(4).toString('hex')}`;
      await Promise.all(
        (Object.keys(aims) as Aim[]).map(async aim => await killAtRandom(aim, await start(aim, `${mark}-${aim}`))),
      );
      const asBefore = async () => JSON.stringify(await allContainers()) === JSON.stringify(before);
      expect(await eventually(asBefore, 20_000), `round ${round}: ${(await allContainers()).join('\n')}`).toBe(true);
      await after(3_000);
      expect(await allContainers(), `round ${round}, later`).toEqual(before);
      const ended = async () => (await processesWith(temporary)).length === 0;
      expect(await eventually(ended, 30_000), `round ${round}: ${(await processesWith(temporary)).join(' ')}`).toBe(
        true,
      );
      expect(await processesWith(mark)).toEqual([]);
      expect(await readdir(temporary)).toEqual([]);
    }
  });
});

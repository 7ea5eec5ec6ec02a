import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, processesWith } from '../e2e/run-longshore.ts';
import { fixtureImage } from '../fixtures/docker/images.ts';
import { type Registry, startRegistry } from '../fixtures/docker/registry.ts';
import { allContainers, realEngine } from './docker-test.ts';
import { TestHost } from './test-host.ts';

const engine = await realEngine();
const rounds = Number(process.env['LONGSHORE_KILL_ROUNDS'] ?? 1);

/** So many hosts are ended side by side, each in a home of its own. */
const atOnce = 2;

/** The three manners of an image; each cell of the matrix runs all of them side by side in one host. */
const manners = ['stdio', 'stdio-deaf', 'http'] as const;
const moments = ['during the pull', 'in the first second', 'ready', 'mid-call'] as const;
const ends = ['unload', 'dispose', 'SIGTERM', 'SIGKILL'] as const;

describe.runIf(engine.available)('whatever ends a host, no container is left', () => {
  let folder = '';
  let registry: Registry;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-kill-'));
    registry = await startRegistry();
    for (const manner of manners) await fixtureImage(manner);
  }, 120_000);

  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function configs(moment: (typeof moments)[number], prefix: string) {
    return await Promise.all(
      manners.map(async manner => {
        const image =
          moment === 'during the pull' ? registry.image(`${prefix}-${manner}`, 'stalled') : await fixtureImage(manner);
        return { name: `${prefix}-${manner}`, command: 'docker', args: ['run', '--rm', '-i', image] };
      }),
    );
  }

  /** Waits for the moment and shows that there is something to be left behind. */
  async function reaches(moment: (typeof moments)[number], host: TestHost, prefix: string): Promise<boolean> {
    if (moment === 'during the pull') return await host.reached('pulling');
    const containers = async () => (await allContainers()).filter(line => line.includes(`-${prefix}-`));
    if (moment === 'in the first second') return await eventually(async () => (await containers()).length > 0, 60_000);
    return (
      (await host.reached(moment === 'ready' ? 'ready' : 'calling')) && (await containers()).length === manners.length
    );
  }

  /** One host that is ended in that way at that moment. */
  async function startAndEnd(moment: (typeof moments)[number], how: (typeof ends)[number], prefix: string) {
    const host = new TestHost({
      home: join(folder, prefix),
      configs: await configs(moment, prefix),
      ...(moment === 'mid-call' && { call: 'sleep' }),
    });
    expect(await reaches(moment, host, prefix)).toBe(true);
    if (moment === 'in the first second') await new Promise(resolve => setTimeout(resolve, Math.random() * 1_000));
    await host.end(how);
  }

  for (const moment of moments) {
    for (const how of ends) {
      it(`R1, R2, R5, R62: ${how} ${moment}, of a stdio, a deaf and an HTTP image`, {
        timeout: rounds * 90_000,
      }, async () => {
        for (let round = 0; round < rounds; round += atOnce) {
          const before = await allContainers();
          const names = Array.from({ length: Math.min(atOnce, rounds - round) }, () => {
            return `k${Math.random().toString(36).slice(2, 8)}`;
          });
          await Promise.all(names.map(prefix => startAndEnd(moment, how, prefix)));
          const asBefore = async () => JSON.stringify(await allContainers()) === JSON.stringify(before);
          expect(await eventually(asBefore, 20_000), `round ${round}: ${(await allContainers()).join('\n')}`).toBe(
            true,
          );
          await new Promise(resolve => setTimeout(resolve, 3_000));
          expect(await allContainers()).toEqual(before);
          // Their hosts, the commands that they had running (a pull goes on for ever), and what looked after them.
          for (const prefix of names) {
            const ended = async () => (await processesWith(prefix)).length === 0;
            expect(await eventually(ended, 20_000), `round ${round}`).toBe(true);
          }
        }
      });
    }
  }
});

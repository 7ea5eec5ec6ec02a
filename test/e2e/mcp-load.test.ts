import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawClient, rawLegacy, rawModern } from '../fixtures/raw-mcp.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually, processesWith } from './run-longshore.ts';

/** 5 in CI; a minute for a figure that means something: LONGSHORE_LOAD_SECONDS=60. */
const seconds = Number(process.env['LONGSHORE_LOAD_SECONDS'] ?? 5);
const callers = 64;
/** Milliseconds until its memory has found its size. */
const warmUp = Math.max(2, seconds / 3) * 1_000;
/** Else V8 lets garbage pile up as far as the machine has room, and a slope would say nothing. */
const tight = '--max-old-space-size=96 --max-semi-space-size=4';

let home: McpHome;
let clients: readonly RawClient[];

beforeAll(async () => {
  home = await mcpHome({ NODE_OPTIONS: tight });
  await home.save('steady', stdioFixture('two-tools', 'steady'));
  await home.save('doomed', stdioFixture('two-tools', `doomed-${process.pid}`));
  await home.allow('*');
  const url = `${home.origin}/mcp`;
  clients = await Promise.all(
    Array.from({ length: callers }, async (_, place) => {
      const { token } = await home.caller(`load-${place}`);
      return place % 2 === 0 ? rawModern(url, token) : rawLegacy(url, token);
    }),
  );
}, 120_000);
afterAll(async () => {
  await Promise.allSettled((clients ?? []).map(client => client[Symbol.asyncDispose]()));
  await home?.[Symbol.asyncDispose]();
});

/** Resident memory of the service, in MiB. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${home.servicePid()}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** By how much the values grow per second: least squares. */
function slope(points: readonly (readonly [seconds: number, value: number])[]): number {
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return over / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
}

interface Outcome {
  readonly server: 'steady' | 'doomed';
  readonly at: number;
  /** What went wrong; undefined if nothing did. */
  readonly fault: string | undefined;
}

/** All callers call both servers without pause until the time is over. */
async function callUntil(end: number): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  await Promise.all(
    clients.map(async (client, place) => {
      for (let round = 0; performance.now() < end; round++) {
        const server = (place + round) % 2 === 0 ? 'steady' : 'doomed';
        const text = `${place} ${round}`;
        outcomes.push({ server, fault: await callOnce(client, server, text), at: performance.now() });
      }
    }),
  );
  return outcomes;
}

async function callOnce(client: RawClient, server: string, text: string): Promise<string | undefined> {
  try {
    const answer = await client.request('tools/call', { name: `${server}__echo`, arguments: { text } });
    const said = answer?.result?.content?.[0]?.text;
    if (said === text && answer.result.isError !== true) return undefined;
    const failure = answer?.result?._meta?.['longshore/failure'];
    return failure === undefined ? JSON.stringify(answer ?? 'no answer') : `${failure.code}: ${said}`;
  } catch (error) {
    return String(error);
  }
}

const faultsOf = (outcomes: readonly Outcome[], server: string): readonly string[] =>
  outcomes.flatMap(one => (one.server === server && one.fault !== undefined ? [one.fault] : []));

describe(`${callers} callers at once, of both eras`, () => {
  it(
    'call two servers without pause: no error, and the memory of the service stays where it is',
    async () => {
      await callUntil(performance.now() + warmUp);
      const start = performance.now();
      const samples: (readonly [number, number])[] = [];
      const sampler = setInterval(() => {
        // A sample that comes too late for the end is none.
        void memory().then(
          value => samples.push([(performance.now() - start) / 1_000, value]),
          () => undefined,
        );
      }, 250);
      const outcomes = await callUntil(start + seconds * 1_000);
      clearInterval(sampler);
      const grows = slope(samples);
      const rate = Math.round(outcomes.length / seconds);
      const most = Math.round(Math.max(...samples.map(([, value]) => value)));
      console.log(
        `load: ${outcomes.length} calls in ${seconds} s (${rate} a second), ${grows.toFixed(2)} MiB a second, at most ${most} MiB`,
      );
      expect(outcomes.flatMap(({ fault }) => fault ?? [])).toEqual([]);
      expect(new Set(outcomes.map(({ server }) => server))).toEqual(new Set(['steady', 'doomed']));
      // In a few seconds the collector alone moves it; only a whole minute shows a leak.
      expect(grows).toBeLessThan(seconds >= 60 ? 0.5 : Number.POSITIVE_INFINITY);
    },
    (2 * seconds + 60) * 1_000,
  );

  it(
    'lose one server in the middle: only its calls fail, each with a reason, and it comes back',
    async () => {
      const calling = callUntil(performance.now() + Math.max(seconds, 5) * 1_000);
      await new Promise(resolve => setTimeout(resolve, 1_500));
      const [pid] = await processesWith(`doomed-${process.pid}`);
      if (pid === undefined) throw new Error('The server that is to be killed does not run.');
      // Held still first, so that calls of it are certainly under way when it dies.
      process.kill(pid, 'SIGSTOP');
      await new Promise(resolve => setTimeout(resolve, 1_000));
      process.kill(pid, 'SIGKILL');
      const outcomes = await calling;
      expect(faultsOf(outcomes, 'steady')).toEqual([]);
      const lost = faultsOf(outcomes, 'doomed');
      expect(lost.length).toBeGreaterThan(0);
      for (const fault of lost) expect(fault).toMatch(/^(?!internal)[a-z-]+: \S/);
      const [client] = clients;
      expect(
        await eventually(
          async () => client !== undefined && (await callOnce(client, 'doomed', 'back')) === undefined,
          30_000,
        ),
      ).toBe(true);
      expect(await processesWith(`doomed-${process.pid}`)).not.toContain(pid);
    },
    (seconds + 90) * 1_000,
  );
});

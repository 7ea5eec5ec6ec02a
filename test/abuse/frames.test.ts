import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type McpHome, mcpHome, stdioFixture } from '../e2e/mcp-home.ts';
import keptSeeds from './kept-seeds.json' with { type: 'json' };

/** Seconds that the search goes on, and the seed that it begins with; a failure names the seed to put among the kept ones. */
const seconds = Number(process.env['LONGSHORE_ABUSE_SECONDS'] ?? 60);
const firstSeed = Number(process.env['LONGSHORE_ABUSE_SEED'] ?? Date.now() % 1_000_000);

/** Milliseconds that the service may once be silent, on a machine that does other things as well. */
const longestSilence = 5_000;
/** Megabytes of the service, with messages of 64 MB on their way. */
const mostMemory = 1_500;

const program = join(import.meta.dirname, 'hostile-server.ts');
const modes = ['stdio', 'http', 'sse'] as const;
type Mode = (typeof modes)[number];

/** How a hostile server is reached; one over HTTP ends with the config. */
async function hostile(mode: Mode, seed: number): Promise<{ config: object; child?: ChildProcess }> {
  const deadlines = { open: 3_000, discovery: 3_000, callIdle: 2_000, callTotal: 3_000, close: 1_000 };
  if (mode === 'stdio')
    return { config: { command: process.execPath, args: [program, mode, String(seed)], deadlines } };
  const child = spawn(process.execPath, [program, mode, String(seed)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [port] = await once(child.stdout, 'data');
  return { config: { url: `http://127.0.0.1:${Number(String(port))}/mcp`, deadlines }, child };
}

/** What the operator does with a server, whatever becomes of each step. Gives how many calls were made. */
async function useAll(world: McpHome, name: string, config: object): Promise<number> {
  const tried = async (method: string, path: string, body?: object): Promise<unknown> =>
    await world.rest(method, path, body).catch(() => undefined);
  await tried('POST', '/api/mcp-servers', { name, ...config });
  await tried('POST', '/api/mcp/load', { ref: name });
  const tools = ((await tried('GET', `/api/tools?server=${name}`)) ?? []) as readonly { toolId: string }[];
  const calls = tools.slice(0, 3).map(({ toolId }) => tried('POST', '/api/tools/invoke', { toolId, arguments: {} }));
  await Promise.all([...calls, tried('POST', `/api/mcp-servers/${name}/refresh-tools`)]);
  await tried('GET', '/api/mcp/status');
  await tried('GET', `/api/servers/${name}/logs`);
  await tried('POST', '/api/mcp/unload', { ref: name });
  await tried('DELETE', `/api/mcp-servers/${name}`);
  return calls.length;
}

/** What is seen of the service from outside while it is abused. */
class Watched {
  readonly #world: McpHome;
  readonly #pid: number;
  readonly #over = new AbortController();
  readonly #running: readonly Promise<void>[];
  silence = 0;
  memory = 0;
  calls = 0;
  faults: string[] = [];

  constructor(world: McpHome) {
    this.#world = world;
    this.#pid = world.servicePid();
    this.#running = [this.#repeat(100, () => this.#health()), this.#repeat(100, () => this.#callOther())];
  }

  /** What must not be, so far; nothing if the service is the same process as at the beginning, and as quick and small as it must be. */
  wrong(): readonly string[] {
    const wrong = [...this.faults];
    if (this.#world.home.servicePid() !== this.#pid) wrong.push('the service has ended');
    if (this.silence >= longestSilence) wrong.push(`silent for ${Math.round(this.silence)} ms`);
    if (this.memory >= mostMemory) wrong.push(`${Math.round(this.memory)} MB in memory`);
    return wrong;
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#running);
  }

  async #repeat(pause: number, look: () => Promise<void>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await look().catch((error: unknown) => void this.faults.push(String(error)));
      await sleep(pause);
    }
  }

  async #health(): Promise<void> {
    const since = performance.now();
    const { ok } = await fetch(`${this.#world.origin}/api/health`, { signal: AbortSignal.timeout(20_000) });
    if (!ok) this.faults.push('not healthy');
    this.silence = Math.max(this.silence, performance.now() - since);
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    this.memory = Math.max(this.memory, Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
  }

  /** Another server goes on working for its caller. */
  async #callOther(): Promise<void> {
    const body = { toolId: 'good__echo', arguments: { text: 'still here' } };
    const { result } = await this.#world.rest('POST', '/api/tools/invoke', body);
    if (result.content[0].text !== 'still here') this.faults.push(JSON.stringify(result));
    this.calls += 1;
  }
}

describe.runIf(process.platform === 'linux')('servers that answer wrongly at every moment of a connection', () => {
  it('never end or stop the service, nor what others call on it', { timeout: (seconds + 240) * 1_000 }, async () => {
    await using world = await mcpHome();
    await world.save('good', stdioFixture('two-tools'));
    await world.allow('good.echo');
    for (const mode of modes) await world.allow(`${mode}-*.*`);
    const watched = new Watched(world);
    const end = Date.now() + seconds * 1_000;
    const seeds = [...keptSeeds.frames];
    let rounds = 0;
    let reached = 0;
    for (let seed = firstSeed; seeds.length > 0 || Date.now() < end; rounds += 1) {
      const both = [1, 2].map(() => seeds.shift() ?? seed++);
      const servers = both.flatMap(one => modes.map(mode => ({ one, mode })));
      await Promise.all(
        servers.map(async ({ one, mode }) => {
          const { config, child } = await hostile(mode, one);
          const transport = mode === 'stdio' ? {} : { transport: mode === 'sse' ? 'sse' : 'streamable-http' };
          reached += await useAll(world, `${mode}-${one}`, { ...config, ...transport });
          child?.kill('SIGKILL');
        }),
      );
      expect(watched.wrong(), `seeds ${both.join(' and ')}`).toEqual([]);
    }
    await watched.stop();
    const { silence, memory, calls } = watched;
    console.log(
      `${rounds} rounds from seed ${firstSeed}; ${reached} calls of hostile servers, ${calls} of another; longest silence ${Math.round(silence)} ms; ${Math.round(memory)} MB`,
    );
    expect(calls).toBeGreaterThan(0);
    // Some of the servers behave well enough to be listed, and are called.
    expect(reached).toBeGreaterThan(0);
    expect(watched.wrong()).toEqual([]);
  });
});

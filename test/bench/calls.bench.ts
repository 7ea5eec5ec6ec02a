/**
 * What a call through Longshore costs beside the same call to the same server directly: one caller and 64, both eras, a
 * large result, and the processor time of the service for each call. Everything in turn, in one run; read the ratios.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { mcpHome } from '../e2e/mcp-home.ts';
import { modernHeaders, modernParams, rawLegacy } from '../fixtures/raw-mcp.ts';
import { median } from './measure.ts';

const rounds = Number(process.env['ROUNDS'] ?? 5);
const seconds = Number(process.env['SECONDS_EACH'] ?? 2);
/** How many ask at once. */
const callerCounts = (process.env['CALLERS'] ?? '1,64').split(',').map(Number);
const server = fileURLToPath(new URL('echo-server.js', import.meta.url));

/** Someone who answers `tools/call`, and how to ask. */
interface Target {
  readonly name: string;
  readonly url: string;
  /** Of the service, where there is one. */
  readonly pid?: number;
  request(
    id: number,
    tool: string,
    args: object,
  ): { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** Processor microseconds that a process has used, in ticks of 10 ms. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function call(pool: Pool, target: Target, id: number, tool: string, args: object): Promise<void> {
  const { headers, body } = target.request(id, tool, args);
  const answer = await pool.request({
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || !text.includes('"content"')) {
    throw new Error(`${target.name}: ${answer.statusCode} ${text.slice(0, 300)}`);
  }
}

/** So many callers, each with its next call as soon as its last is answered: milliseconds of each call, and in all. */
async function load(pool: Pool, target: Target, callers: number): Promise<{ each: number[]; elapsed: number }> {
  const each: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  let id = 0;
  const caller = async () => {
    for (;;) {
      const before = performance.now();
      if (before >= end) return;
      id += 1;
      await call(pool, target, id, 'echo', { text: 'the quick brown fox' });
      each.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { each, elapsed: performance.now() - start };
}

const raw = spawn(process.execPath, [server, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [address] = (await once(raw.stdout, 'data')) as [Buffer];
const home = await mcpHome();
try {
  await home.allow('echo.*');
  await home.save('echo', { command: process.execPath, args: [server] });
  const { token } = await home.caller('bench');
  const url = `${home.origin}/mcp`;
  const session = await rawLegacy(url, token);
  const pid = home.servicePid();
  process.stderr.write(`The service is process ${pid}.\n`);
  const targets: Target[] = [
    {
      name: 'direct',
      url: String(address).trim(),
      request: (id, name, args) => ({
        headers: {},
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }),
      }),
    },
    {
      name: 'Longshore, 2025-11-25',
      url,
      pid,
      request: (id, name, args) => ({
        headers: session.headers,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: `echo__${name}`, arguments: args },
        }),
      }),
    },
    {
      name: 'Longshore, 2026-07-28',
      url,
      pid,
      request(id, name, args) {
        const params = modernParams({ name: `echo__${name}`, arguments: args });
        return {
          headers: modernHeaders(token, 'tools/call', params),
          body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
        };
      },
    },
  ];
  const figures = new Map(targets.map(({ name }) => [name, new Map<string, number[]>()]));
  const note = (target: Target, column: string, figure: number) => {
    const columns = figures.get(target.name);
    columns?.set(column, [...(columns.get(column) ?? []), figure]);
  };
  for (let round = 0; round <= rounds; round += 1) {
    for (const target of targets) {
      const pool = new Pool(new URL(target.url).origin, { connections: 64, pipelining: 1 });
      for (const callers of callerCounts) {
        const before = target.pid === undefined ? 0 : processorTime(target.pid);
        const { each, elapsed } = await load(pool, target, callers);
        const used = target.pid === undefined ? 0 : processorTime(target.pid) - before;
        if (round === 0) continue;
        note(target, `p50 ms at ${callers}`, median(each));
        note(target, `calls/s at ${callers}`, each.length / (elapsed / 1000));
        note(target, `CPU µs at ${callers}`, used / each.length);
      }
      for (let n = 0; n < 5; n += 1) {
        const before = performance.now();
        await call(pool, target, n, 'big', { bytes: 1_000_000 });
        if (round > 0) note(target, '1 MB ms', performance.now() - before);
      }
      await pool.close();
    }
  }
  const base = figures.get('direct');
  for (const [name, columns] of figures) {
    process.stdout.write(`${name}\n`);
    for (const [column, all] of columns) {
      const ratio = median(all) / median(base?.get(column) ?? []);
      process.stdout.write(`  ${column.padEnd(16)} ${median(all).toFixed(2).padStart(10)}  ${ratio.toFixed(2)} ×\n`);
    }
  }
} finally {
  await home[Symbol.asyncDispose]();
  raw.kill();
}

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type McpHome, mcpHome, stdioFixture } from '../e2e/mcp-home.ts';
import { post, rawLegacy, rawModern } from '../fixtures/raw-mcp.ts';

const megabyte = 1024 * 1024;

/** Megabytes that the service has in memory. */
function memoryOf(world: McpHome): number {
  const status = readFileSync(`/proc/${world.servicePid()}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function isHealthy(world: McpHome): Promise<boolean> {
  return (await fetch(`${world.origin}/api/health`, { signal: AbortSignal.timeout(20_000) })).ok;
}

describe.runIf(process.platform === 'linux')('memory', () => {
  it('is not taken by bodies of strangers that never end', { timeout: 120_000 }, async () => {
    await using world = await mcpHome();
    const { hostname, port } = new URL(world.origin);
    const before = memoryOf(world);
    const body = 'x'.repeat(4 * megabyte - 1);
    const sockets: Socket[] = [];
    for (let index = 0; index < 120; index++) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.on('error', () => {});
      const path = index % 2 === 0 ? '/api/tools/invoke' : '/mcp';
      const size = index % 3 === 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${4 * megabyte}`;
      socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n${size}\r\n\r\n`);
      socket.write(index % 3 === 0 ? `${body.length.toString(16)}\r\n${body}` : body);
      sockets.push(socket);
    }
    await sleep(2_000);
    expect(await isHealthy(world)).toBe(true);
    expect(memoryOf(world) - before).toBeLessThan(200);
    for (const socket of sockets) socket.destroy();
  });

  it('is bounded for calls that wait for a decision, and others go on, with a heap of 256 MiB', {
    timeout: 240_000,
  }, async () => {
    await using world = await mcpHome({ NODE_OPTIONS: '--max-old-space-size=256' });
    await world.save('two', stdioFixture('two-tools'));
    await world.allow('two.fail');
    const [greedy, other] = [await world.caller('greedy'), await world.caller('other')];
    const url = `${world.origin}/mcp`;
    await using modern = rawModern(url, other.token);
    const gone = new AbortController();
    const session = await rawLegacy(url, greedy.token);
    const answers: string[] = [];
    const held = Array.from({ length: 150 }, async (_, index) => {
      const params = { name: 'two__echo', arguments: { text: `${index} `.padEnd(4 * megabyte, 'x') } };
      const frame = { jsonrpc: '2.0', id: index, method: 'tools/call', params };
      const { status, frames } = await post(url, frame, session.headers, gone.signal);
      answers.push(status === 200 ? JSON.stringify(frames.at(-1)) : JSON.stringify(frames[0]));
    });
    const all = Promise.allSettled(held);
    while (answers.length < 100) await sleep(200);
    expect(await isHealthy(world)).toBe(true);
    expect(answers.filter(text => text.includes('hold') && text.includes('too-many-requests')).length).toBeGreaterThan(
      90,
    );
    const { result } = await modern.request('tools/call', { name: 'two__fail', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: 'no' }]);
    gone.abort();
    await all;
    // What the caller left behind is still to be decided, and is not forgotten.
    expect((await world.rest('GET', '/api/approvals')).length).toBeGreaterThan(0);
    expect(await isHealthy(world)).toBe(true);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointClient } from '../../test/fixtures/endpoint-client.ts';
import { silentLog } from '../core/ports/log.ts';
import { ByteBudget } from '../lib/byte-budget.ts';
import { answerHttp, type HttpEndpointDeps } from './http-endpoint.ts';
import { rpcCodes } from './json-rpc.ts';
import { metaKeys } from './request-headers.ts';

const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
const silence = 20;

/** Only what a refused call meets. */
const needs = {
  views: { of: () => ({ named: () => ({ handleName: 'find', definition: { name: 'find', inputSchema } }) }) },
  reply: { silence, keepAlive: silence },
  mostBody: 1_000,
  bodies: new ByteBudget({ each: 3_000, all: 4_000 }),
  log: silentLog,
} as unknown as HttpEndpointDeps;

const server = createServer((request, response) => void answerHttp(needs, endpointClient('one'), request, response));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function post(body: string, headers: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('a request over HTTP that is refused', () => {
  it('is refused once: nothing of it waits to be answered and wakes later', async () => {
    const _meta = { [metaKeys.version]: '2026-07-28', [metaKeys.capabilities]: {} };
    const params = { name: 'find', arguments: { region: 'north' }, _meta };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'find' };
    const thrown: unknown[] = [];
    const hear = (error: unknown): void => void thrown.push(error);
    process.on('uncaughtExceptionMonitor', hear);
    const refused = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), headers);
    await after(silence * 5);
    process.off('uncaughtExceptionMonitor', hear);
    expect(refused).toMatchObject({ status: 400, body: { id: 1, error: { code: rpcCodes.headerMismatch } } });
    expect(thrown).toEqual([]);
  });

  it('is told why: no JSON, no message, too large', async () => {
    expect(await post('{')).toMatchObject({ status: 400, body: { id: null, error: { code: rpcCodes.parse } } });
    expect(await post('[]')).toMatchObject({ status: 400, body: { error: { code: rpcCodes.invalidRequest } } });
    expect(await post('x'.repeat(1_001))).toMatchObject({
      status: 413,
      body: { error: { data: { code: 'too-large' } } },
    });
  });
});

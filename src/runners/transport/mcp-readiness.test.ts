import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { mcpReady, type ReadinessOptions } from './mcp-readiness.ts';

type Answering = (request: IncomingMessage, response: ServerResponse, message: { readonly method?: string }) => void;

let servers: Server[] = [];

afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise(closed => server.close(closed));
  }
  servers = [];
});

/** A server that hands over each request with its parsed body. */
async function serve(answer: Answering): Promise<string> {
  const server = createServer((request, response) => {
    void request.toArray().then(chunks => {
      const text = Buffer.concat(chunks).toString('utf8');
      answer(request, response, text === '' ? {} : JSON.parse(text));
    });
  });
  servers.push(server);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ready = async (urls: readonly string[], more: Partial<ReadinessOptions> = {}) => {
  const places = urls.map(url => ({ url: new URL(url) }));
  const options = { clock: systemClock, budget: 10_000, signal: new AbortController().signal, ...more };
  return (await mcpReady(places, options)).url;
};

const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Bad Request: no session' } };

describe('readiness of a server over HTTP', () => {
  it('is any JSON-RPC body to a POST, whatever its status', async () => {
    for (const status of [200, 400, 404, 500]) {
      const url = await serve((_, response) => response.writeHead(status).end(JSON.stringify(error)));
      expect((await ready([`${url}/mcp`])).pathname).toBe('/mcp');
    }
  });

  it('is read from the first event of a stream that never ends', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: message\ndata: ${JSON.stringify(error)}\n\n`);
    });
    expect((await ready([`${url}/mcp`])).pathname).toBe('/mcp');
  });

  it('is not a connection, nor an answer of something else, and the failure tells what there was', async () => {
    const page = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>"jsonrpc"'),
    );
    const missing = await serve((_, response) => response.writeHead(404).end('not here'));
    const dropping = await serve(request => request.socket.destroy());
    await expect(ready([`${page}/mcp`, `${missing}/other`], { budget: 300 })).rejects.toMatchObject({
      code: 'failed-to-start',
      message: expect.stringMatching(/\/mcp answered HTTP 200, \/other answered HTTP 404/),
    });
    await expect(ready([`${dropping}/mcp`], { budget: 300 })).rejects.toThrow(/listen on 0\.0\.0\.0/);
  });

  it('is waited for while the server comes up, at every URL in turn', async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      const isUp = asked > 5 && request.url === '/mcp';
      response.writeHead(isUp ? 200 : 503).end(isUp ? JSON.stringify(error) : '');
    });
    expect((await ready([`${url}/hinted`, `${url}/mcp`])).pathname).toBe('/mcp');
  });

  it('never uses up the one handshake of a server that answers otherwise', async () => {
    const methods: (string | undefined)[] = [];
    const url = await serve((_, response, { method }) => {
      methods.push(method);
      response.writeHead(400).end(JSON.stringify(error));
    });
    await ready([`${url}/mcp`]);
    expect(methods).toEqual(['ping']);
  });

  it('greets a server that refuses all else in words of its own, and ends that session', async () => {
    const seen: string[] = [];
    const url = await serve((request, response, { method }) => {
      seen.push(`${request.method} ${method ?? String(request.headers['mcp-session-id'])}`);
      if (method !== 'initialize') return void response.writeHead(400).end('Bad Request: missing session');
      response.writeHead(200, { 'mcp-session-id': 's1' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }));
    });
    await ready([`${url}/mcp`]);
    expect(seen).toEqual(['POST ping', 'POST initialize', 'DELETE s1']);
  });

  it('is given up as soon as the caller or the container is gone', async () => {
    const silent = await serve(() => {});
    const gone = new AbortController();
    setTimeout(() => gone.abort(new LongshoreError('failed-to-start', 'It exited.')), 50);
    await expect(ready([`${silent}/mcp`], { signal: gone.signal })).rejects.toThrow('It exited.');
  });
});

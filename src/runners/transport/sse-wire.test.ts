import { describe, expect, it, vi } from 'vitest';
import { connected, rejection, sdkClient, textOf, wireTo } from '../../../test/fixtures/http-client.ts';
import { event } from '../../../test/fixtures/http-mcp.ts';
import { type Handler, serveHttp, startEverything } from '../../../test/fixtures/http-server.ts';
import { createSseWire, isNotSse } from './sse-wire.ts';

const wireOf = (url: string, endpointTimeout = 5000, headers = {}) =>
  createSseWire({ ...wireTo(url, { headers }), endpointTimeout });

/** A hand-written server of the legacy transport; `call` answers `tools/call`. */
function legacySse(call: (tell: (data: object) => void, id: number, stop: () => void) => void): Handler {
  let tell: (data: object) => void = () => undefined;
  let stop: () => void = () => undefined;
  return (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session=1\n\n');
      tell = data => void response.write(event(data));
      stop = () => response.end();
      return;
    }
    const { id, method } = JSON.parse(request.body) as { id: number; method: string };
    if (method === 'server/discover') {
      // Some servers refuse an unknown method with a status.
      response.writeHead(400).end('what?');
      return;
    }
    response.writeHead(202).end('Accepted');
    const serverInfo = { name: 'old', version: '1' };
    if (method === 'initialize') {
      tell({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo } });
    } else if (method === 'tools/call') {
      call(tell, id, stop);
    }
  };
}

const answered = (tell: (data: object) => void, id: number): void =>
  tell({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'called' }] } });
const tool = { name: 'tool', arguments: {} };

describe('a wire over HTTP+SSE', () => {
  it('R44: speaks to the official example server, and to one that refuses the probe with a status', async () => {
    await using everything = await startEverything('sse');
    await using handWritten = await serveHttp(legacySse(answered));
    for (const mode of ['auto', 'legacy'] as const) {
      const client = await connected(wireOf(`${everything.origin}/sse`), mode);
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      expect(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toBe('Echo: hi');
      await client.close();
      const other = await connected(wireOf(handWritten.origin), mode);
      expect(other.getNegotiatedProtocolVersion()).toBe('2024-11-05');
      expect(textOf(await other.callTool(tool))).toBe('called');
      await other.close();
    }
    await vi.waitFor(() => expect([everything.openSockets(), handWritten.openSockets()]).toEqual([0, 0]));
  });

  it('sends the headers of the server with the stream and with every message', async () => {
    await using server = await serveHttp(legacySse(answered));
    const client = await connected(wireOf(server.origin, 5000, { Authorization: 'Bearer abc' }));
    await client.callTool(tool);
    await client.close();
    expect(new Set(server.arrived.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']));
    expect(server.arrived.every(({ headers }) => headers.authorization === 'Bearer abc')).toBe(true);
  });

  it('ends with its stream: waiting calls are lost at once, and no second stream is opened', async () => {
    await using server = await serveHttp(legacySse((_tell, _id, stop) => stop()));
    const wire = wireOf(server.origin);
    const client = sdkClient();
    const ended = new Promise<void>(resolve => {
      client.onclose = resolve;
    });
    await client.connect(wire);
    expect(wire.explain(await rejection(client.callTool(tool)))).toMatchObject({
      code: 'connection-lost',
      data: { mayHaveRun: true },
    });
    await Promise.all([ended, wire.closed]);
    expect(server.arrived.filter(({ method }) => method === 'GET')).toHaveLength(1);
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('does not wait for ever for a stream that never names its endpoint', async () => {
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    });
    const wire = wireOf(server.origin, 30);
    const error = await rejection(connected(wire));
    expect(isNotSse(error)).toBe(true);
    expect(wire.explain(error).message).toContain('never said where to send messages');
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });

  it('never sends anything to an endpoint of another origin', async () => {
    await using other = await serveHttp((_request, response) => response.end());
    await using server = await serveHttp((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`event: endpoint\ndata: ${other.origin}/x\n\n`);
    });
    const wire = wireOf(server.origin, 5000, { Authorization: 'Bearer canary' });
    expect(wire.explain(await rejection(connected(wire))).message).toContain(other.origin);
    expect(other.arrived).toEqual([]);
  });

  it('that is closed while it starts leaves nothing behind', async () => {
    const reached = Promise.withResolvers<void>();
    await using server = await serveHttp(() => reached.resolve());
    const wire = wireOf(server.origin);
    const start = rejection(wire.start());
    await reached.promise;
    await wire.close();
    expect(wire.explain(await start).code).toBe('connection-lost');
    await vi.waitFor(() => expect(server.openSockets()).toBe(0));
  });
});

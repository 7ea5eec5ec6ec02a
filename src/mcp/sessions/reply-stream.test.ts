import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyStream } from './reply-stream.ts';

const calm = { takesEvents: true, silence: 60_000, keepAlive: 60_000 } as const;

let answer: (response: ServerResponse) => void = () => {};
const server = createServer((_request, response) => answer(response));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function ask(how: (response: ServerResponse) => void): Promise<IncomingMessage> {
  answer = how;
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What the events of a body carry. */
function dataOf(body: string): string[] {
  return [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '');
}

describe('the answer to a request over HTTP', () => {
  it('is a JSON body where nothing came before it, with the status of an error', async () => {
    const response = await ask(raw => new ReplyStream(calm, raw).end('{"a":1}', 404));
    expect([response.statusCode, response.headers['content-type']]).toEqual([404, 'application/json']);
    expect(await text(response)).toBe('{"a":1}');
  });

  it('is a stream of events where something came before it', async () => {
    const response = await ask(raw => {
      const reply = new ReplyStream(calm, raw);
      reply.send('{"progress":1}');
      reply.end('{"a":1}');
    });
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(dataOf(await text(response))).toEqual(['{"progress":1}', '{"a":1}']);
  });

  it('is JSON for a client that takes no events, which then misses what came before', async () => {
    const response = await ask(raw => {
      const reply = new ReplyStream({ ...calm, takesEvents: false }, raw);
      reply.send('{"progress":1}');
      reply.end('{"a":1}');
    });
    expect(await text(response)).toBe('{"a":1}');
  });

  it('shows a sign of life to the client of a long silent call, and again and again', async () => {
    const open = Promise.withResolvers<ReplyStream>();
    const response = await ask(raw => open.resolve(new ReplyStream({ ...calm, silence: 20, keepAlive: 20 }, raw)));
    expect(response.headers['content-type']).toBe('text/event-stream');
    let comments = 0;
    for await (const chunk of response) {
      comments += String(chunk).split(':\n\n').length - 1;
      if (comments >= 3) break;
    }
    (await open.promise).end('{}');
    expect(comments).toBeGreaterThanOrEqual(3);
  });

  it('that belongs to no request tells nothing twice to a client that does not say what it saw', async () => {
    const standing = new ReplyStream({ ...calm, stream: 'standing' });
    standing.send('{"n":1}');
    const first = await ask(raw => {
      raw.once('close', () => standing.detach(raw));
      standing.attach(raw);
    });
    standing.send('{"n":2}');
    let seen = '';
    for await (const chunk of first) {
      seen += String(chunk);
      if (seen.includes('"n":2')) break;
    }
    expect(dataOf(seen)).toEqual(['{"n":1}', '{"n":2}']);
    await expect.poll(() => standing.attached).toBe(false);
    standing.send('{"n":3}');
    const second = await ask(raw => standing.attach(raw));
    standing.close();
    expect(dataOf(await text(second))).toEqual(['{"n":3}']);
  });

  it('is given to a 2025 client that lost the stream from the event it saw last, and the rest as it comes', async () => {
    const opened = Promise.withResolvers<ReplyStream>();
    const first = await ask(raw => {
      const reply = new ReplyStream({ ...calm, stream: 's1' }, raw);
      raw.once('close', () => reply.detach(raw));
      reply.send('{"n":1}');
      reply.send('{"n":2}');
      opened.resolve(reply);
    });
    const reply = await opened.promise;
    first.destroy();
    await expect.poll(() => reply.attached).toBe(false);
    expect(reply.isResumable).toBe(true);
    reply.send('{"n":3}');
    const second = await ask(raw => reply.attach(raw, 1));
    reply.end('{"n":4}');
    const body = await text(second);
    expect(dataOf(body)).toEqual(['{"n":2}', '{"n":3}', '{"n":4}']);
    expect(body).toContain('id: s1.4\n');
    const third = await ask(raw => reply.attach(raw, 3));
    expect(dataOf(await text(third))).toEqual(['{"n":4}']);
  });
});

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answeringServer, sendJson } from '../../test/fixtures/answering-server.ts';
import { events, type ServiceEvent } from './events.ts';

/** Time that is always over. */
const clock = { sleep: () => Promise.resolve() };

const hello = 'id: r.0\nevent: hello\ndata: {"version":"1"}\n\n';
const changed = (id: string, server: string) =>
  `id: ${id}\nevent: tools.changed\ndata: {"agentId":"a","server":"${server}"}\n\n`;

function stream(response: ServerResponse, ...pieces: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces) response.write(piece);
}

/** The first so many events. */
async function take(url: string, count: number): Promise<readonly ServiceEvent[]> {
  const taken: ServiceEvent[] = [];
  const abort = new AbortController();
  for await (const event of events({ url, token: 'lso_t' }, abort.signal, clock)) {
    taken.push(event);
    if (taken.length === count) abort.abort();
  }
  return taken;
}

describe('events', () => {
  it('reads events however they are cut, and skips what is no event', async () => {
    const text = `retry: 2000\n\n${hello}:\n\n${changed('r.1', 'notes — ☃')}`;
    const bytes = Buffer.from(text);
    await using server = await answeringServer((_, response) => {
      response.writeHead(200);
      // Byte by byte, also in the middle of a character.
      for (const byte of bytes) response.write(Buffer.of(byte));
    });
    expect(await take(server.url, 2)).toEqual([
      { type: 'hello', data: { version: '1' } },
      { type: 'tools.changed', data: { agentId: 'a', server: 'notes — ☃' } },
    ]);
    expect(server.came[0]).toMatchObject({ url: '/api/events', headers: { authorization: 'Bearer lso_t' } });
    expect(server.came[0]?.headers).not.toHaveProperty('last-event-id');
  });

  it('goes on where a stream broke', async () => {
    await using server = await answeringServer((came, response) => {
      if (came.headers['last-event-id'] === undefined) {
        stream(response, hello, changed('r.1', 'one'));
        setImmediate(() => response.destroy());
      } else {
        stream(response, changed('r.2', 'two'));
      }
    });
    const taken = await take(server.url, 3);
    expect(taken.map(({ data }) => data)).toMatchObject([{}, { server: 'one' }, { server: 'two' }]);
    expect(server.came.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'r.1']);
  });

  it('ends without an error when it is told to, also where nothing comes', async () => {
    const abort = new AbortController();
    await using server = await answeringServer((_, response) => stream(response, hello));
    const seen: string[] = [];
    for await (const { type } of events({ url: server.url }, abort.signal, clock)) {
      seen.push(type);
      setImmediate(() => abort.abort());
    }
    expect(seen).toEqual(['hello']);
  });

  it('says so when the service is gone for good, and at once when it may not watch', async () => {
    const { url } = await (async () => {
      await using server = await answeringServer(() => undefined);
      return server;
    })();
    await expect(take(url, 1)).rejects.toMatchObject({ code: 'unreachable' });
    const refusal = { code: 'denied', detail: 'Not for you.' };
    await using server = await answeringServer((_, response) => sendJson(response, 403, refusal));
    await expect(take(server.url, 1)).rejects.toMatchObject({ code: 'denied' });
    expect(server.came).toHaveLength(1);
  });
});

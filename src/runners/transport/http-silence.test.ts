import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connected, rejection, textOf, wireTo } from '../../../test/fixtures/http-client.ts';
import { event, legacyMcp, openStream, sendJson, textResult } from '../../../test/fixtures/http-mcp.ts';
import { serveHttp } from '../../../test/fixtures/http-server.ts';
import { createHttpWire } from './http-wire.ts';

// A file of its own: undici keeps the clock that it finds at its first use.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
);
afterEach(() => void vi.useRealTimers());

describe('silence', () => {
  it('of 400 s before an answer, or within a stream, is no fault', async () => {
    const answers: (() => void)[] = [];
    await using server = await serveHttp(
      legacyMcp({
        call: (id, response, { body }) => {
          const streamed = body.includes('"stream"');
          if (streamed) openStream(response);
          const result = textResult(id, 'late');
          answers.push(() => (streamed ? void response.end(event(result)) : sendJson(response, result)));
        },
        first: ({ path }, response) => {
          if (path !== '/control') return false;
          answers.push(() => response.end());
          return true;
        },
      }),
    );
    const client = await connected(createHttpWire(wireTo(server.origin)));
    const calls = ['json', 'stream'].map(as =>
      client.callTool({ name: 'tool', arguments: { as } }, { timeout: 1_000_000 }),
    );
    // The control waits as long on sockets that are made as everybody makes them.
    const usual = new Agent();
    const control = rejection(request(`${server.origin}/control`, { dispatcher: usual }));
    await vi.waitFor(() => expect(answers).toHaveLength(3));
    await vi.advanceTimersByTimeAsync(400_000);
    expect(await control).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    for (const answer of answers) answer();
    for (const result of await Promise.all(calls)) expect(textOf(result)).toBe('late');
    await client.close();
    await usual.destroy();
  });
});

import { describe, expect, it } from 'vitest';
import { endpointClient } from '../../../test/fixtures/endpoint-client.ts';
import { systemClock } from '../../core/clock.ts';
import { LegacySession } from './legacy-session.ts';

const never = new AbortController().signal;
const question = { method: 'elicitation/create', params: { message: 'Which?' } };

function session() {
  const standing: string[] = [];
  const client = endpointClient('one');
  const hello = { protocolVersion: '2025-11-25', capabilities: {} };
  const opened = new LegacySession(client, hello, { send: frame => void standing.push(frame) }, systemClock);
  const own: string[] = [];
  const outlet = { send: (frame: string) => void own.push(frame) };
  return { opened, standing, own, request: { id: 7, meta: {}, outlet, leaving: { gone: never } } };
}

describe('the session of a 2025 client', () => {
  it('asks on the stream of the request that the question belongs to, and takes the answer from whichever comes', async () => {
    const { opened, standing, own, request } = session();
    const answers = opened.run(request, exchange => exchange.ask({ a: question, b: question }, exchange.signal));
    const asked = own.map(frame => JSON.parse(frame));
    expect(asked).toMatchObject([question, question]);
    opened.answer({ kind: 'answer', id: asked[1].id, result: { action: 'decline' } });
    opened.answer({ kind: 'answer', id: asked[0].id, result: { action: 'accept' } });
    expect(await answers).toEqual({ a: { action: 'accept' }, b: { action: 'decline' } });
    expect(standing).toEqual([]);
  });

  it("tells what runs that the client could not answer, in the client's words", async () => {
    const { opened, own, request } = session();
    const running = opened.run(request, exchange => exchange.ask({ a: question }, exchange.signal));
    const { id } = JSON.parse(own[0] ?? '{}');
    opened.answer({ kind: 'answer', id, error: { code: -32_601, message: 'no such method' } });
    await expect(running).rejects.toThrow('no such method');
  });

  it('takes a question back when it is over, and its late answer for nothing', async () => {
    const { opened, own, request } = session();
    const over = new AbortController();
    const running = opened.run(request, exchange => exchange.ask({ a: question }, over.signal));
    over.abort(new Error('over'));
    await expect(running).rejects.toThrow('over');
    const [asked, taken] = own.map(frame => JSON.parse(frame));
    expect(taken).toMatchObject({ method: 'notifications/cancelled', params: { requestId: asked.id } });
    opened.answer({ kind: 'answer', id: asked.id, result: {} });
    opened.answer({ kind: 'answer', id: 'never asked', result: {} });
  });

  it('gives no answer to a request that its client cancelled, and ends what runs for it', async () => {
    const { opened, request } = session();
    const running = opened.run(request, ({ signal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
    });
    opened.cancel('another');
    opened.cancel(7);
    expect(await running).toBeUndefined();
    expect(opened.idle).toBeLessThan(10_000);
  });

  it('ends requests, questions and subscriptions with itself', async () => {
    const { opened, request } = session();
    let ended = 0;
    opened.subscriptions.set('file:///x', { [Symbol.asyncDispose]: async () => void (ended += 1) });
    const running = opened.run(request, exchange => exchange.ask({ a: question }, exchange.signal));
    await Promise.all([expect(running).rejects.toThrow('The client has gone.'), opened.close()]);
    expect([ended, opened.subscriptions.size]).toEqual([1, 0]);
  });
});

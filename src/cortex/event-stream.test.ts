import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { by, cortexGround, operatorToken } from '../../test/fixtures/cortex-deps.ts';
import { createCortex } from './app.ts';
import { createEventFeed } from './event-feed.ts';
import { createEventStreams } from './event-stream.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const event = (n: number) => ({ type: 'server.state', data: { n, text: 'a\nb' } });

/** Reads a stream as a browser would: events with id, type and data; comments counted. */
function reader(response: Response) {
  const texts = (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  return {
    async next(): Promise<{ id?: string; event?: string; data?: unknown; comment?: true } | 'end'> {
      for (;;) {
        const end = buffer.indexOf('\n\n');
        if (end !== -1) {
          const block = buffer.slice(0, end);
          buffer = buffer.slice(end + 2);
          if (block.startsWith('retry:')) continue;
          if (block === ':') return { comment: true };
          const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2)));
          return { ...fields, data: JSON.parse(fields['data'] ?? 'null') };
        }
        const { value, done } = await texts.read();
        if (done) return 'end';
        buffer += value;
      }
    },
    cancel: () => texts.cancel(),
  };
}

describe('the event stream', () => {
  it('greets, then tells what changes, with ids to come back by', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs);
    const response = await app.request('/api/events', { headers: by(operatorToken) });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const stream = reader(response);
    expect(await stream.next()).toMatchObject({ event: 'hello', id: expect.stringMatching(/\.0$/) as string });
    ground.emit(event(1));
    ground.emit(event(2));
    const first = await stream.next();
    expect(first).toMatchObject({ event: 'server.state', data: { n: 1, text: 'a\nb' } });
    await stream.cancel();

    ground.emit(event(3));
    const headers = by(operatorToken, { 'last-event-id': first === 'end' ? '' : (first.id ?? '') });
    const again = reader(await app.request('/api/events', { headers }));
    expect(await again.next()).toMatchObject({ data: { n: 2 } });
    expect(await again.next()).toMatchObject({ data: { n: 3 } });
    expect(await again.next()).toMatchObject({ event: 'hello' });
    await again.cancel();
  });

  it('tells a watcher of an earlier run, or one away for too long, to read everything anew', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs);
    const headers = by(operatorToken, { 'last-event-id': 'earlier.7' });
    const stream = reader(await app.request('/api/events', { headers }));
    expect(await stream.next()).toMatchObject({ event: 'resync' });
    await stream.cancel();
  });

  it('has a heartbeat while nothing happens', async () => {
    const feed = createEventFeed('run');
    const streams = createEventStreams(feed, 5);
    const stream = reader(streams.open(undefined, () => {}));
    await stream.next();
    vi.advanceTimersByTime(30_000);
    expect([await stream.next(), await stream.next()]).toEqual([{ comment: true }, { comment: true }]);
    await stream.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('drops a watcher that does not read, keeps the others, and the dropped one can come back without loss', async () => {
    const feed = createEventFeed('run');
    const streams = createEventStreams(feed, 5);
    let dropped = 0;
    const slow = streams.open(undefined, () => void (dropped += 1));
    const quick = reader(streams.open(undefined, () => void (dropped += 10)));
    await quick.next();
    for (let n = 1; n <= 300; n++) {
      feed.publish(event(n));
      await quick.next();
    }
    expect(dropped).toBe(1);
    expect(streams.count()).toBe(1);
    const late = reader(slow);
    let last: string | undefined;
    for (let one = await late.next(); one !== 'end'; one = await late.next()) last = one.id;
    const back = reader(streams.open(last, () => {}));
    const seen = [];
    for (let one = await back.next(); one !== 'end' && one.event !== 'hello'; one = await back.next())
      seen.push(one.id);
    expect(seen.at(-1)).toBe('run.300');
    expect(seen).toHaveLength(300 - Number(last?.slice('run.'.length)));
    streams.close();
  });

  it('that resumes with a thousand missed events is not taken for slow', async () => {
    const feed = createEventFeed('run');
    for (let n = 1; n <= 1_000; n++) feed.publish(event(n));
    const streams = createEventStreams(feed, 5);
    const stream = reader(streams.open('run.0', () => expect.unreachable()));
    for (let n = 1; n <= 1_000; n++) expect(await stream.next()).toMatchObject({ id: `run.${n}` });
    expect(await stream.next()).toMatchObject({ event: 'hello' });
    streams.close();
    expect(await stream.next()).toBe('end');
  });

  it('ends for every watcher when the service stops, and no other is opened', async () => {
    await using ground = await cortexGround();
    const cortex = createCortex(ground.needs);
    const open = async () => cortex.app.request('/api/events', { headers: by(operatorToken) });
    const streams = [reader(await open()), reader(await open())];
    for (const stream of streams) await stream.next();
    cortex.close();
    for (const stream of streams) expect(await stream.next()).toBe('end');
    expect((await open()).status).toBe(429);
    expect(ground.listeners()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is there for so many at once and no more; one that goes makes room', async () => {
    const streams = createEventStreams(createEventFeed('run'), 2);
    const [first] = [streams.open(undefined, () => {}), streams.open(undefined, () => {})];
    expect(() => streams.open(undefined, () => {})).toThrow('2 event streams are open already');
    await first?.body?.cancel();
    expect(streams.open(undefined, () => {}).status).toBe(200);
    streams.close();
  });
});

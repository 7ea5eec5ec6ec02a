import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventFeed } from './event-feed.ts';

const event = (n: number) => ({ type: 'server.state', data: { n } });

describe('the event feed', () => {
  it('tells every watcher every event in order until it stops', () => {
    const feed = createEventFeed('run');
    const seen: unknown[] = [];
    feed.publish(event(1));
    const stop = feed.watch(({ id, data }) => seen.push([id, data['n']]));
    feed.publish(event(2));
    feed.publish(event(3));
    stop();
    feed.publish(event(4));
    expect(seen).toEqual([
      ['run.2', 2],
      ['run.3', 3],
    ]);
  });

  it('gives a watcher who comes back exactly what it missed, or says that it cannot', () => {
    fc.assert(
      fc.property(fc.nat(2_500), fc.nat(2_600), (published, last) => {
        const feed = createEventFeed('run');
        for (let n = 1; n <= published; n++) feed.publish(event(n));
        const resumed = feed.resume(`run.${last}`);
        const possible = last <= published && published - last <= 1_000;
        const missed = possible
          ? Array.from({ length: published - last }, (_, index) => `run.${last + 1 + index}`)
          : [];
        expect(resumed.complete).toBe(possible);
        expect(resumed.missed.map(({ id }) => id)).toEqual(missed);
        expect(resumed.lastId).toBe(`run.${published}`);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['other.3', 'run.', 'run.x', 'run.-1', 'run.1.5', 'run.1e9', '3', '', 'run.NaN'])(
    'takes %j for an id that it cannot go on from',
    id => {
      const feed = createEventFeed('run');
      for (let n = 1; n <= 5; n++) feed.publish(event(n));
      expect(feed.resume(id)).toEqual({ missed: [], complete: false, lastId: 'run.5' });
    },
  );

  it('has nothing to resume for a watcher that is new', () => {
    const feed = createEventFeed('run');
    feed.publish(event(1));
    expect(feed.resume(undefined)).toEqual({ missed: [], complete: true, lastId: 'run.1' });
  });
});

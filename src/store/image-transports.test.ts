import { describe, expect, it } from 'vitest';
import type { Clock } from '../core/clock.ts';
import { type Digest, sha256 } from '../core/ids.ts';
import { openStore } from './store.ts';

const day = 24 * 60 * 60 * 1000;
const key: Digest = sha256('an image, started in one way');
const http = { transport: 'streamable-http', port: 3000, path: '/mcp' } as const;

describe('how images are spoken to', () => {
  it('is remembered as it was found last, until it is forgotten', async () => {
    await using store = await openStore({ path: ':memory:', clock: { now: () => 0, sleep: () => Promise.resolve() } });
    const { imageTransports } = store;
    expect(await imageTransports.get(key)).toBeUndefined();
    await imageTransports.put(key, { transport: 'stdio' });
    await imageTransports.put(key, http);
    expect(await imageTransports.get(key)).toEqual(http);
    expect(await imageTransports.get(sha256('another'))).toBeUndefined();
    await imageTransports.forget(key);
    expect(await imageTransports.get(key)).toBeUndefined();
  });

  it('is remembered for three months after the last start', async () => {
    let now = 0;
    const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
    await using store = await openStore({ path: ':memory:', clock });
    await store.imageTransports.put(key, http);
    now = 89 * day;
    expect(await store.imageTransports.get(key)).toEqual(http);
    now = 91 * day;
    expect(await store.imageTransports.get(key)).toBeUndefined();
  });
});

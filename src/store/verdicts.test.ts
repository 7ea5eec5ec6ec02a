import { describe, expect, it } from 'vitest';
import type { Verdict, VerdictKey } from '../core/ports/verdicts.ts';
import { openStore } from './store.ts';

const day = 24 * 60 * 60 * 1000;
const key = 'k1' as VerdictKey;
const other = 'k2' as VerdictKey;
const modern: Verdict = { era: 'modern', discover: { supportedVersions: ['2026-07-28'], x_unknown: [1, null] } };

async function openAt(start: number) {
  const time = { now: start };
  const store = await openStore({ path: ':memory:', clock: { now: () => time.now, sleep: () => Promise.resolve() } });
  return { time, verdicts: store.verdicts, [Symbol.asyncDispose]: () => store.close() };
}

describe('verdicts', () => {
  it('come back verbatim, each under its own key', async () => {
    await using at = await openAt(0);
    await at.verdicts.put(key, modern);
    await at.verdicts.put(other, { era: 'legacy' });
    expect(await at.verdicts.get(key)).toEqual(modern);
    expect(await at.verdicts.get(other)).toEqual({ era: 'legacy' });
    expect(await at.verdicts.get('k3' as VerdictKey)).toBeUndefined();
  });

  it('expire after a day, counted from the last time one was put', async () => {
    await using at = await openAt(0);
    await at.verdicts.put(key, { era: 'legacy' });
    at.time.now = day - 1;
    expect(await at.verdicts.get(key)).toEqual({ era: 'legacy' });
    await at.verdicts.put(key, modern);
    at.time.now = day + 10;
    expect(await at.verdicts.get(key)).toEqual(modern);
    at.time.now = 2 * day - 1;
    expect(await at.verdicts.get(key)).toBeUndefined();
  });

  it('are gone when forgotten', async () => {
    await using at = await openAt(0);
    await at.verdicts.put(key, modern);
    await at.verdicts.forget(key);
    expect(await at.verdicts.get(key)).toBeUndefined();
  });
});

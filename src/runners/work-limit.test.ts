import { describe, expect, it } from 'vitest';
import { manualClock } from '../../test/fixtures/manual-clock.ts';
import type { ServerKey } from '../core/ids.ts';
import { createWorkLimit } from './work-limit.ts';

/** A limit of one second on a clock that knows how many wait for it. */
function limited() {
  const clock = manualClock();
  const asleep = new Set<Promise<void>>();
  const outer = new AbortController();
  const limit = createWorkLimit({
    idle: 1_000,
    clock: {
      ...clock,
      sleep(milliseconds, signal) {
        const sleeping = clock.sleep(milliseconds, signal);
        asleep.add(sleeping);
        const over = () => void asleep.delete(sleeping);
        sleeping.then(over, over);
        return sleeping;
      },
    },
    signal: outer.signal,
    serverKey: 's' as ServerKey,
  });
  return { clock, asleep, outer, limit };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('the limit of a launcher without a sign of work', () => {
  it('begins anew with each sign of work, and fires after the last', async () => {
    const { clock, limit } = limited();
    for (let time = 0; time < 5; time += 1) {
      clock.advance(900);
      limit.worked();
      await settled();
    }
    expect(limit.signal.aborted).toBe(false);
    clock.advance(1_000);
    await settled();
    expect(limit.signal.reason).toMatchObject({ code: 'timeout', message: expect.stringContaining('openLauncher') });
  });

  it('leaves no timer behind, whatever its server still writes: a program would not end before it fired', async () => {
    const { asleep, limit } = limited();
    limit.worked();
    limit[Symbol.dispose]();
    limit.worked();
    await settled();
    expect(asleep.size).toBe(0);
    expect(limit.signal.aborted).toBe(false);
  });

  it('fires with the start that it is of', () => {
    const { outer, limit } = limited();
    outer.abort(new Error('enough'));
    expect(limit.signal.reason).toMatchObject({ message: 'enough' });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

describe('Mutex', () => {
  it('R63: runs tasks one at a time in arrival order, whatever they do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, outcomes) => {
        const queue = new Mutex();
        const order: number[] = [];
        let running = 0;
        const results = outcomes.map((fails, index) =>
          queue.run(async () => {
            running += 1;
            expect(running).toBe(1);
            order.push(index);
            await scheduler.schedule(Promise.resolve());
            running -= 1;
            if (fails) throw new Error(`task ${index}`);
            return index;
          }),
        );
        const settled = Promise.allSettled(results);
        await scheduler.waitFor(settled);
        expect(order).toEqual(outcomes.map((_, index) => index));
        expect((await settled).map(one => one.status === 'rejected')).toEqual(outcomes);
        await queue.idle();
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

describe('a budget of bytes', () => {
  it('refuses what is too much for one owner or for all, and takes it again once others are given back', () => {
    const budget = new ByteBudget({ each: 10, all: 15 });
    const [a, b, more] = [budget.hold('a'), budget.hold('b'), budget.hold('a')];
    expect([a.add(6), a.add(5), more.add(5), b.add(9), more.add(4)]).toEqual([true, false, false, true, false]);
    b[Symbol.dispose]();
    expect([more.add(4), b.add(5), b.add(1)]).toEqual([true, true, false]);
    a[Symbol.dispose]();
    a[Symbol.dispose]();
    expect(more.add(6)).toBe(true);
  });

  it('never lets more be held than it allows, and forgets nothing and nobody', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.integer({ min: 0, max: 8 }),
      drop: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const budget = new ByteBudget({ each: 10, all: 20 });
        const open: { owner: string; bytes: number; held: Disposable }[] = [];
        for (const { owner, bytes, drop } of steps) {
          const held = budget.hold(owner);
          if (held.add(bytes)) open.push({ owner, bytes, held });
          if (drop) open.shift()?.held[Symbol.dispose]();
          const of = (one: string) =>
            open.filter(entry => entry.owner === one).reduce((sum, entry) => sum + entry.bytes, 0);
          expect(['a', 'b', 'c'].every(one => of(one) <= 10) && of('a') + of('b') + of('c') <= 20).toBe(true);
        }
        for (const { held } of open) held[Symbol.dispose]();
        expect(budget.hold('a').add(10) && budget.hold('b').add(10)).toBe(true);
      }),
    );
  });
});

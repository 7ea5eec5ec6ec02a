/** Chances that are the same for the same seed. */
export interface Chances {
  /** From 0 up to, without, 1. */
  next(): number;
  /** A whole number from 0 up to, without, `below`. */
  below(below: number): number;
  oneOf<Item>(items: readonly Item[]): Item;
  /** True with that probability. */
  is(probability: number): boolean;
}

/** Mulberry32: small, and good enough to pick among odd messages. */
export function seeded(seed: number): Chances {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    oneOf<Item>(items: readonly Item[]): Item {
      return items[below(items.length)] as Item;
    },
    is: probability => next() < probability,
  };
}

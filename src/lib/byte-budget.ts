/** Bytes that somebody holds at the moment, until they are given back by disposing. */
export interface HeldBytes extends Disposable {
  /** Takes more, or takes none and returns false where that would be too much for this owner or for all together. */
  add(bytes: number): boolean;
}

/** How many bytes each owner, and all owners together, may hold at once. */
export class ByteBudget {
  readonly #each: number;
  readonly #all: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: { readonly each: number; readonly all: number }) {
    this.#each = limits.each;
    this.#all = limits.all;
  }

  hold(owner: string): HeldBytes {
    let own = 0;
    return {
      add: bytes => {
        const held = this.#held.get(owner) ?? 0;
        if (held + bytes > this.#each || this.#total + bytes > this.#all) return false;
        own += bytes;
        this.#move(owner, bytes);
        return true;
      },
      [Symbol.dispose]: () => {
        this.#move(owner, -own);
        own = 0;
      },
    };
  }

  #move(owner: string, bytes: number): void {
    this.#total += bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}

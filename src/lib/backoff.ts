/** Ever longer waits between tries: each is twice the one before, up to a longest. Milliseconds. */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #delay: number;

  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
    this.#delay = first;
  }

  /** The wait before the next try. */
  next(): number {
    const delay = this.#delay;
    this.#delay = Math.min(delay * 2, this.#longest);
    return delay;
  }

  /** It went well: the next wait is the first one again. */
  reset(): void {
    this.#delay = this.#first;
  }
}

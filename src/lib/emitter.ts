/** Listeners of one kind of event. They are called in the same tick, in the order in which they were added. */
export class Emitter<Args extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();

  /** True if nobody listens, so that an event need not even be made. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener; the returned function removes it. */
  on(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls those who listen now; one that is added meanwhile hears the next event. */
  emit(...args: Args): void {
    for (const listener of [...this.#listeners]) listener(...args);
  }

  /** Removes every listener. */
  clear(): void {
    this.#listeners.clear();
  }
}

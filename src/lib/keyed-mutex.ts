/** Runs tasks that share a name one at a time in arrival order, and all others side by side (R63). */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** The names for which a task runs or waits. */
  names(): readonly string[] {
    return [...this.#tails.keys()];
  }

  /** Runs the task after all earlier ones with any of these names have settled, however they settled. */
  async run<Value>(names: readonly string[], task: () => Promise<Value>): Promise<Value> {
    const before = names.flatMap(name => this.#tails.get(name) ?? []);
    const result = Promise.all(before).then(task);
    // A failure belongs to the caller of that task alone; those behind it go on.
    const tail = result.catch(() => undefined);
    for (const name of names) this.#tails.set(name, tail);
    try {
      return await result;
    } finally {
      for (const name of names) if (this.#tails.get(name) === tail) this.#tails.delete(name);
    }
  }
}

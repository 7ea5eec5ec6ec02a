/** Runs tasks one at a time in arrival order; each server has its own, so a slow one delays nobody else (R63). */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs the task after all earlier ones have settled, however they settled. */
  run<Value>(task: () => Promise<Value>): Promise<Value> {
    const result = this.#tail.then(task, task);
    // A failure belongs to the caller of that task alone; the queue goes on.
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Settles when everything queued so far has settled. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}

/** A timer that can stand still: only the time in which it runs counts. Milliseconds. */
export class PausableTimer implements Disposable {
  readonly #onExpire: () => void;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** Runs from now on; `onExpire` is called once at most. */
  constructor(milliseconds: number, onExpire: () => void) {
    this.#left = milliseconds;
    this.#onExpire = onExpire;
    this.resume();
  }

  /** Stands still until `resume`; standing already is fine. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }

  /** Runs on with what is left; running already, expired or disposed of is fine. */
  resume(): void {
    if (this.#timer !== undefined || this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this[Symbol.dispose]();
      this.#onExpire();
    }, this.#left);
  }

  /** Never expires any more. */
  [Symbol.dispose](): void {
    this.pause();
    this.#isOver = true;
  }
}

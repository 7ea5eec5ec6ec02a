import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import { Mutex } from '../lib/mutex.ts';

/**
 * One server key of one agent: one owner in the ledger. Whatever is done to the server under the key is done in its
 * turn here, in arrival order (R63), and so is decided whether there is a server at all.
 */
export class ServerSlot<Server> {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  /** The plan's identity of the server that is, or is to be, under the key. */
  identity: string;
  server: Server | undefined;
  readonly #mutex = new Mutex();
  readonly #onFree: () => void;
  #waiting = 0;
  /** Aborted when the starts that were asked for so far are not wanted any more. */
  #wanted = new AbortController();
  #running: AbortController | undefined;

  constructor(agentId: AgentId, serverKey: ServerKey, identity: string, onFree: () => void) {
    this.agentId = agentId;
    this.serverKey = serverKey;
    this.identity = identity;
    this.#onFree = onFree;
  }

  /** Runs a transition in its turn. `onFree` is told once nothing is under the key and nothing waits to be. */
  run<Value>(transition: () => Promise<Value>): Promise<Value> {
    this.#waiting += 1;
    return this.#mutex.run(async () => {
      try {
        return await transition();
      } finally {
        this.#waiting -= 1;
        if (this.#waiting === 0 && this.server === undefined) this.#onFree();
      }
    });
  }

  /** Runs a start in its turn. Its signal aborts, and it is not even begun, if `endStarts` was called after this. */
  start<Value>(transition: (unwanted: AbortSignal) => Promise<Value>): Promise<Value> {
    const { signal } = this.#wanted;
    return this.run(async () => {
      signal.throwIfAborted();
      const running = new AbortController();
      this.#running = running;
      try {
        return await transition(AbortSignal.any([signal, running.signal]));
      } finally {
        this.#running = undefined;
      }
    });
  }

  /** Every start that was asked for before this is unwanted: the running one is aborted, waiting ones reject with `cancelled`. */
  endStarts(): void {
    const before = this.#wanted;
    this.#wanted = new AbortController();
    before.abort(this.cancelled('stopped'));
  }

  /** Aborts the start that runs now, whose server is about to be started differently; those that wait stay wanted. */
  endRunningStart(): void {
    this.#running?.abort(this.cancelled('replaced by a reload'));
  }

  cancelled(how: string): LongshoreError {
    return new LongshoreError('cancelled', `The start of ${this.serverKey} was ${how}.`);
  }
}

import type { Connection } from '../connections/connection.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';

interface Wanted {
  subscribers: number;
  /** How the first subscription went; whoever comes meanwhile shares it. */
  readonly done: Promise<void>;
}

/** What clients want of one server, over all its connections: each new one is told again. */
export class ServerWishes {
  readonly #log: Log;
  readonly #resources = new Map<string, Wanted>();
  #connection: Connection | undefined;
  #logLevel: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** True while somebody wants to hear of changes: then the server must not sleep. */
  get keepAwake(): boolean {
    return this.#resources.size > 0;
  }

  /** From now on that is the server's connection. What it refuses is told in the log: nobody waits for it. */
  meet(connection: Connection): void {
    this.#connection = connection;
    if (this.#logLevel !== undefined) void this.#quietly(connection.setLogLevel(this.#logLevel));
    for (const uri of this.#resources.keys()) void this.#quietly(connection.subscribe(uri));
  }

  /** See `Connection.setLogLevel`; a server that does not run hears it when it does. */
  async setLogLevel(level: string): Promise<void> {
    this.#logLevel = level;
    await this.#live()?.setLogLevel(level);
  }

  /**
   * Hears of changes of a resource until disposed, however often the server is started anew meanwhile. The server must
   * run; rejects as `Connection.subscribe` does.
   */
  async subscribe(uri: string): Promise<AsyncDisposable> {
    const wanted = this.#resources.get(uri) ?? this.#begin(uri);
    wanted.subscribers += 1;
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      wanted.subscribers -= 1;
      if (wanted.subscribers > 0 || this.#resources.get(uri) !== wanted) return;
      this.#resources.delete(uri);
      const live = this.#live();
      if (live) await this.#quietly(live.unsubscribe(uri));
    };
    try {
      await wanted.done;
    } catch (error) {
      if (this.#resources.get(uri) === wanted) this.#resources.delete(uri);
      throw error;
    }
    return { [Symbol.asyncDispose]: end };
  }

  #begin(uri: string): Wanted {
    const live = this.#live();
    const asleep = new LongshoreError('connection-lost', 'The server does not run, so it tells no changes.');
    const wanted = { subscribers: 0, done: live ? live.subscribe(uri) : Promise.reject(asleep) };
    this.#resources.set(uri, wanted);
    return wanted;
  }

  #live(): Connection | undefined {
    return this.#connection?.state.name === 'ready' ? this.#connection : undefined;
  }

  async #quietly(done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      const server = this.#connection?.serverKey;
      this.#log.warn({ server }, `A wish of a client was not met. ${asLongshoreError(error).message}`);
    }
  }
}

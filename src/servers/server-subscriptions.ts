import type { Connection } from '../connections/connection.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';

interface Subscribed {
  subscribers: number;
  /** How the first subscription went; whoever comes meanwhile shares it. */
  readonly done: Promise<void>;
}

/** Log level and resource subscriptions of one server; applied again to each new connection. */
export class ServerSubscriptions {
  readonly #log: Log;
  readonly #resources = new Map<string, Subscribed>();
  #connection: Connection | undefined;
  #logLevel: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** True while somebody wants to hear of changes: then the server must not sleep. */
  get keepAwake(): boolean {
    return this.#resources.size > 0;
  }

  /** Applies them to a new connection. What it refuses is told in the log: nobody waits for it. */
  attach(connection: Connection): void {
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
    const subscribed = this.#resources.get(uri) ?? this.#begin(uri);
    subscribed.subscribers += 1;
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      subscribed.subscribers -= 1;
      if (subscribed.subscribers > 0 || this.#resources.get(uri) !== subscribed) return;
      this.#resources.delete(uri);
      const live = this.#live();
      if (live) await this.#quietly(live.unsubscribe(uri));
    };
    try {
      await subscribed.done;
    } catch (error) {
      if (this.#resources.get(uri) === subscribed) this.#resources.delete(uri);
      throw error;
    }
    return { [Symbol.asyncDispose]: end };
  }

  #begin(uri: string): Subscribed {
    const live = this.#live();
    const asleep = new LongshoreError('connection-lost', 'The server does not run, so it tells no changes.');
    const subscribed = { subscribers: 0, done: live ? live.subscribe(uri) : Promise.reject(asleep) };
    this.#resources.set(uri, subscribed);
    return subscribed;
  }

  #live(): Connection | undefined {
    return this.#connection?.state.name === 'ready' ? this.#connection : undefined;
  }

  async #quietly(done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      const server = this.#connection?.serverKey;
      this.#log.warn({ server }, `Could not restore a log level or subscription. ${asLongshoreError(error).message}`);
    }
  }
}

import type { Connection } from '../connections/connection.ts';
import type { Authorisation, Authorise } from '../core/authorisation.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';

interface Subscribed {
  /** Each subscriber's leave, of which one is used for each connection. */
  readonly leaves: Set<Authorise>;
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
    for (const { leaves } of this.#resources.values()) void this.#quietly(subscribeBy(leaves, connection));
  }

  /** See `Connection.setLogLevel`; a server that does not run hears it when it does. */
  async setLogLevel(level: string): Promise<void> {
    this.#logLevel = level;
    await this.#live()?.setLogLevel(level);
  }

  /**
   * Hears of changes of a resource until disposed, however often the server is started anew meanwhile, each time with a
   * leave of its own. The server must run; rejects as `Connection.subscribe` does.
   */
  async subscribe(uri: string, authorise: Authorise): Promise<AsyncDisposable> {
    const subscribed = this.#resources.get(uri) ?? this.#begin(uri, authorise);
    // A function of its own: the same one may be given twice.
    const leave: Authorise = epoch => authorise(epoch);
    subscribed.leaves.add(leave);
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      subscribed.leaves.delete(leave);
      if (subscribed.leaves.size > 0 || this.#resources.get(uri) !== subscribed) return;
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

  #begin(uri: string, authorise: Authorise): Subscribed {
    const live = this.#live();
    const asleep = new LongshoreError('connection-lost', 'The server does not run, so it tells no changes.');
    const done = live ? subscribeBy([authorise], live) : Promise.reject(asleep);
    const subscribed: Subscribed = { leaves: new Set(), done };
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

/** By the first leave that still holds. Rejects as the last one throws where none does. */
async function subscribeBy(leaves: Iterable<Authorise>, connection: Connection): Promise<void> {
  let refusal: unknown;
  for (const leave of leaves) {
    let authorisation: Authorisation;
    try {
      authorisation = leave(connection.epoch);
    } catch (error) {
      refusal = error;
      continue;
    }
    await connection.subscribe(authorisation);
    return;
  }
  throw refusal;
}

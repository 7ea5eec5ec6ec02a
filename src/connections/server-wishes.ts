import { asLongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import type { Connection } from './connection.ts';

/** What clients want of one server, over all its connections: each new one is told again. */
export class ServerWishes {
  readonly #log: Log;
  #connection: Connection | undefined;
  #logLevel: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** From now on that is the server's connection. What it refuses is told in the log: nobody waits for it. */
  meet(connection: Connection): void {
    this.#connection = connection;
    if (this.#logLevel !== undefined) void this.#quietly(connection, connection.setLogLevel(this.#logLevel));
  }

  /** See `Connection.setLogLevel`; a server that does not run hears it when it does. */
  async setLogLevel(level: string): Promise<void> {
    this.#logLevel = level;
    if (this.#connection?.state.name === 'ready') await this.#connection.setLogLevel(level);
  }

  async #quietly({ serverKey }: Connection, done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      this.#log.warn({ server: serverKey }, `A wish of a client was not met. ${asLongshoreError(error).message}`);
    }
  }
}

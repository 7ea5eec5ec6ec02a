import type { Connection } from '../connections/connection.ts';
import { LongshoreError } from '../core/errors.ts';

/** What a server wrote to stderr over all its connections, so that it can be read once they have ended. */
export class StderrHistory {
  #tail: readonly string[] = [];
  /** Lines of connections and failed starts that are over. */
  #lines = 0;

  /** The newest lines, of the live connection if there is one. */
  tail(live: Connection | undefined): readonly string[] {
    return live?.stderrTail() ?? this.#tail;
  }

  /** How many lines there were since the first start. */
  count(live: Connection | undefined): number {
    return this.#lines + (live?.stderrCount() ?? 0);
  }

  /** Keeps the lines of a connection that is closed. */
  keep(connection: Connection): void {
    this.#tail = connection.stderrTail();
    this.#lines += connection.stderrCount();
  }

  /** Keeps the lines that a failed start tells with its error; there is no connection to ask. */
  keepFailure(error: unknown): void {
    const said = error instanceof LongshoreError ? error.data?.['stderr'] : undefined;
    if (!Array.isArray(said)) return;
    this.#tail = said.filter(line => typeof line === 'string');
    this.#lines += this.#tail.length;
  }
}

import type { Connection } from '../connections/connection.ts';
import { LongshoreError } from '../core/errors.ts';

/** Lines that are kept of processes that have ended. */
const kept = 200;
/** Stands between what one process wrote and the next. */
const divider = '--- started anew ---';

/** What a server wrote to stderr over all its connections, so that it can be read once they have ended. */
export class StderrHistory {
  /** Of the connections and starts that are over. */
  #tail: readonly string[] = [];
  /** Lines of connections and failed starts that are over. */
  #lines = 0;

  /** The newest lines, of the live connection if there is one. */
  tail(live: Connection | undefined): readonly string[] {
    const lines = live?.stderrTail() ?? [];
    return lines.length === 0 || this.#tail.length === 0
      ? [...this.#tail, ...lines]
      : [...this.#tail, divider, ...lines];
  }

  /** How many lines there were since the first start. */
  count(live: Connection | undefined): number {
    const lines = live?.stderrCount() ?? 0;
    return this.#lines + lines + (lines > 0 && this.#tail.length > 0 ? 1 : 0);
  }

  /** Keeps the lines of a connection that is closed. */
  keep(connection: Connection): void {
    this.#add(connection.stderrTail(), connection.stderrCount());
  }

  /** Keeps the lines that a failed start tells with its error; there is no connection to ask. */
  keepFailure(error: unknown): void {
    const said = error instanceof LongshoreError ? error.data?.['stderr'] : undefined;
    if (!Array.isArray(said)) return;
    const lines = said.filter(line => typeof line === 'string');
    this.#add(lines, lines.length);
  }

  #add(lines: readonly string[], count: number): void {
    if (count === 0) return;
    const divided = this.#tail.length > 0;
    this.#tail = [...this.#tail, ...(divided ? [divider] : []), ...lines].slice(-kept);
    this.#lines += count + (divided ? 1 : 0);
  }
}

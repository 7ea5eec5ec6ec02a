import { asLongshoreError, type ErrorCode } from '../core/errors.ts';
import type { Epoch } from '../core/ids.ts';
import type { Discovery } from './connection.ts';
import { type ConnectionRequest, UnfinishedStart } from './connection-request.ts';
import type { NegotiatedConnection } from './negotiated-connection.ts';
import { onOlderSide, openNegotiated } from './open-negotiated.ts';

/** The older side of a server, opened, with its lists. */
export interface OpenedSide {
  readonly connection: NegotiatedConnection;
  readonly discovery: Discovery;
}

/** What an opening fails with where the server refuses the older handshake. */
const refusals: ReadonlySet<ErrorCode> = new Set(['no-common-version', 'protocol-error']);

/** Milliseconds that the older side may take to open beyond twice the time that the newer one took. */
const leeway = 5_000;

/** Opens the older side of a server for a connection that has its newer one. */
export class OlderSide {
  readonly #request: ConnectionRequest;
  readonly #epoch: Epoch;
  readonly #within: number;
  #missing: 'unknown' | 'now' | 'for-good' = 'unknown';
  #unfinished: (() => Promise<void>) | undefined;

  /** `openedIn`: milliseconds that the newer side took to open. */
  constructor(request: ConnectionRequest, epoch: Epoch, openedIn: number) {
    this.#request = request;
    this.#epoch = epoch;
    this.#within = Math.min(request.openWithin, 2 * openedIn + leeway);
    if (request.olderEra?.found === 'absent') this.#missing = 'for-good';
  }

  /** True once it could not be opened; it is not tried again on this connection. */
  get isMissing(): boolean {
    return this.#missing !== 'unknown';
  }

  /** True for a server that refused the older handshake, which is worth remembering. */
  get isAbsent(): boolean {
    return this.#missing === 'for-good';
  }

  /** Undefined where it does not come up. Never rejects. */
  async open(signal: AbortSignal, logLevel: string | undefined): Promise<OpenedSide | undefined> {
    const request = { ...onOlderSide(this.#request), openWithin: this.#within, signal, onPhase: () => {} };
    let connection: NegotiatedConnection | undefined;
    try {
      connection = await openNegotiated(request, this.#epoch);
      const discovery = await connection.discover(signal);
      if (logLevel !== undefined) await connection.setLogLevel(logLevel);
      return { connection, discovery };
    } catch (error) {
      const { code } = asLongshoreError(error);
      const { serverKey, around } = this.#request;
      around.log.info({ serverKey, code }, 'a server was not opened on its older side');
      this.#missing = refusals.has(code) ? 'for-good' : 'now';
      if (error instanceof UnfinishedStart) this.#unfinished = error.close;
      await connection?.close().catch(() => {
        this.#unfinished = connection?.close;
      });
      return undefined;
    }
  }

  /** Ends what is left of a start that failed; rejects with `close-failed` while anything is (R54). */
  async close(): Promise<void> {
    await this.#unfinished?.();
  }
}

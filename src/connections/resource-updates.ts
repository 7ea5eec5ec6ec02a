import { type Client, type McpSubscription, ProtocolError } from '@modelcontextprotocol/client';
import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { Backoff } from '../lib/backoff.ts';
import { Mutex } from '../lib/mutex.ts';

const firstDelay = 1_000;
const longestDelay = 60_000;
/** Milliseconds for a server to say that it listens to. */
const ackWithin = 15_000;

/** Dependencies of the listen stream. */
export interface UpdatesDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** Fires when the connection ends. */
  readonly signal: AbortSignal;
  /** Told of a resource that may have changed while nobody listened. */
  missed(params: JsonObject): void;
}

/**
 * The listen stream of a 2026-07-28 server for the resources that somebody wants to hear of (`resourceSubscriptions`). One
 * stream for all: it is opened anew for each change of them, before the earlier one is closed, so that nothing falls between.
 */
export class ResourceUpdates {
  readonly #ground: UpdatesDeps;
  readonly #queue = new Mutex();
  readonly #uris = new Set<string>();
  #stream: McpSubscription | undefined;

  constructor(ground: UpdatesDeps) {
    this.#ground = ground;
  }

  /** Resolves when the server listens. Rejects with `protocol-error` where it does not take that resource, `server-error`, or as the SDK does. */
  subscribe(uri: string): Promise<void> {
    return this.#queue.run(async () => {
      this.#uris.add(uri);
      try {
        const stream = await this.#renew();
        if (stream?.honoredFilter.resourceSubscriptions?.includes(uri)) return;
        throw new LongshoreError('protocol-error', `The server does not tell changes of ${uri}.`);
      } catch (error) {
        this.#uris.delete(uri);
        throw error instanceof ProtocolError ? refused(error) : error;
      }
    });
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#queue.run(async () => {
      if (this.#uris.delete(uri)) await this.#renew();
    });
  }

  async #renew(): Promise<McpSubscription | undefined> {
    const { client, signal } = this.#ground;
    const earlier = this.#stream;
    const filter = { resourceSubscriptions: [...this.#uris] };
    const stream = this.#uris.size === 0 ? undefined : await client.listen(filter, { signal, timeout: ackWithin });
    this.#stream = stream;
    // Never rejects: what fails inside is tried again.
    if (stream !== undefined) void this.#watch(stream);
    await earlier?.close();
    return stream;
  }

  /** A stream that the server ended is opened again, ever more slowly; what changed meanwhile was not told. */
  async #watch(stream: McpSubscription): Promise<void> {
    await stream.closed;
    const { clock, signal, missed } = this.#ground;
    const isWanted = () => this.#stream === stream && this.#uris.size > 0 && !signal.aborted;
    const backoff = new Backoff(firstDelay, longestDelay);
    while (isWanted()) {
      // An abort ends the loop; nothing else can reject here.
      await clock.sleep(backoff.next(), signal).catch(() => {});
      const renewed = await this.#queue
        .run(async () => isWanted() && (await this.#renew()) !== undefined)
        .catch(() => false);
      if (renewed) for (const uri of this.#uris) missed({ uri });
    }
  }
}

/** The server's own refusal, verbatim in `data`. */
function refused(error: ProtocolError): LongshoreError {
  const { code, message } = error;
  return new LongshoreError('server-error', `The server refused subscriptions/listen: ${message}`, {
    cause: error,
    data: { code, message },
  });
}

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ServerQuestion } from '../../core/ports/call-client.ts';
import { cut } from '../../lib/cut.ts';
import { type Message, noticeFrame, type Prepared, type RequestId, requestFrame } from '../json-rpc.ts';
import type { Exchange, McpClient, SessionState } from '../mcp-client.ts';

/** Where frames to a client go. */
export interface Outlet {
  send(frame: string): void;
}

/** How a client leaves a request. */
export interface Leaving {
  /** Fires when it can get no answer any more. */
  readonly gone: AbortSignal;
  /** Fires when it does not read any more, though it might come back. */
  readonly hungUp?: AbortSignal;
}

/** What a client of 2025 said at `initialize`. */
export interface Hello {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
}

type Answer = Extract<Message, { kind: 'answer' }>;

/**
 * The session of a 2025 client, whatever carries it: which of its requests run, what it was asked and has not answered,
 * and what it wants to hear.
 */
export class LegacySession implements SessionState {
  readonly client: McpClient;
  readonly hello: Hello;
  logLevel: string | undefined;
  readonly subscriptions = new Map<string, AsyncDisposable>();
  readonly #outlet: Outlet;
  readonly #clock: Clock;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #asked = new Map<RequestId, PromiseWithResolvers<JsonObject>>();
  readonly #ending = new AbortController();
  readonly #identity = randomUUID();
  #asks = 0;
  #lastUsed: number;

  /** `outlet` takes what belongs to no request. */
  constructor(client: McpClient, hello: Hello, outlet: Outlet, clock: Clock) {
    this.client = client;
    this.hello = hello;
    this.#outlet = outlet;
    this.#clock = clock;
    this.#lastUsed = clock.now();
  }

  /** Milliseconds since it was last used; 0 while a request of it runs. */
  get idle(): number {
    return this.#running.size > 0 ? 0 : this.#clock.now() - this.#lastUsed;
  }

  /** Runs one request. Resolves with undefined once it was cancelled. */
  async run(
    { id, meta, outlet, leaving }: { id: RequestId; meta: JsonObject; outlet: Outlet; leaving: Leaving },
    method: (exchange: Exchange) => Promise<JsonObject | Prepared>,
  ): Promise<JsonObject | Prepared | undefined> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, leaving.gone, this.#ending.signal]);
    this.#running.set(id, controller);
    try {
      const result = await method({
        client: this.client,
        era: 'legacy',
        identity: this.#identity,
        capabilities: this.hello.capabilities,
        meta,
        signal,
        ...(leaving.hungUp && { hungUp: leaving.hungUp }),
        session: this,
        isThere: () => true,
        notify: (name, params) => outlet.send(noticeFrame(name, params)),
        ask: (questions, until) => this.#askAll(questions, outlet, until),
      });
      // Whoever cancelled is sent no answer, not even that it was cancelled (2025-11-25, cancellation).
      return controller.signal.aborted ? undefined : result;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
      this.touch();
    }
  }

  /** The client is there. */
  touch(): void {
    this.#lastUsed = this.#clock.now();
  }

  notify(method: string, params: JsonObject): void {
    this.#outlet.send(noticeFrame(method, params));
  }

  /** Cancels one of its requests; an id that does not run is nothing new (the answer may be on its way). */
  cancel(id: RequestId): void {
    this.#running.get(id)?.abort();
  }

  /** Takes what the client answered to a question. */
  answer({ id, result, error }: Answer): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (result !== undefined) asked?.resolve(result);
    else asked?.reject(clientError(error ?? {}));
  }

  /** Ends its requests, questions and subscriptions. */
  async close(): Promise<void> {
    this.#ending.abort(new LongshoreError('cancelled', 'The client has gone.'));
    const subscriptions = [...this.subscriptions.values()];
    this.subscriptions.clear();
    await Promise.allSettled(subscriptions.map(one => one[Symbol.asyncDispose]()));
  }

  async #askAll(
    questions: Readonly<Record<string, ServerQuestion>>,
    outlet: Outlet,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const answers = Object.entries(questions).map(async ([key, question]) => {
      return [key, await this.#askOne(question, outlet, signal)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  async #askOne({ method, params }: ServerQuestion, outlet: Outlet, until: AbortSignal): Promise<JsonObject> {
    const signal = AbortSignal.any([until, this.#ending.signal]);
    signal.throwIfAborted();
    const id = `longshore-${++this.#asks}`;
    const asked = Promise.withResolvers<JsonObject>();
    this.#asked.set(id, asked);
    const leave = (): void => {
      if (!this.#asked.delete(id)) return;
      outlet.send(noticeFrame('notifications/cancelled', { requestId: id, reason: 'The question is over.' }));
      asked.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    // 2026-07-28 has no such id any more, and 2025 clients refuse a question without one.
    const isUrl = method === 'elicitation/create' && params.mode === 'url' && params.elicitationId === undefined;
    outlet.send(requestFrame(id, method, isUrl ? { ...params, elicitationId: id } : params));
    try {
      return await asked.promise;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#asked.delete(id);
    }
  }
}

function clientError({ code, message, data }: JsonObject): LongshoreError {
  const said = typeof message === 'string' ? cut(message, 500) : 'no message';
  return new LongshoreError('protocol-error', `The client could not answer the server's question: ${said}`, {
    data: {
      code: code ?? null,
      ...(Number.isInteger(code) &&
        typeof message === 'string' && {
          clientError: { code: code ?? null, message, ...(data !== undefined && { data }) },
        }),
    },
  });
}

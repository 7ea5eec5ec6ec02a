import type { JSONRPCRequest, TransportSendOptions } from '@modelcontextprotocol/client';
import { numberOf, plainNumbers } from '../../core/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Progress } from '../../core/words.ts';
import { type AnswerQuestion, type Origin, PushedQuestions } from './pushed-questions.ts';
import { discoverForSdk, initializeForSdk, resultForSdk } from './sdk-copies.ts';
import type { Frame, FrameOrigin, Wire } from './wire.ts';

/** What a server answered to a followed request, verbatim. */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: JsonObject }
  /** Neither a result object nor an error object. */
  | { readonly kind: 'malformed' };

/** One request whose answer is kept verbatim. Dispose it when its answer is no longer wanted. */
export interface Exchange extends Disposable {
  /** Goes into the request's `_meta`, which is how the tap knows the request again; it never leaves the process. */
  readonly meta: Readonly<Record<PropertyKey, unknown>>;
  /** True once the frame was handed to the wire. */
  readonly sent: boolean;
  readonly answer: Answer | undefined;
}

/** What a server said about itself, verbatim, and in answer to what. */
export interface Greeting {
  readonly method: 'initialize' | 'server/discover';
  readonly result: JsonObject;
}

/** Who is behind a followed request. */
export interface Follower {
  onProgress?(progress: Progress): void;
  /** Comes back as the origin of what the server says on the request's own stream. */
  readonly sender?: object;
}

/** A wire that the SDK's client sits on, while the connection reads what really came. */
export interface Tap extends Wire {
  readonly greeting: Greeting | undefined;
  /** The error that `server/discover` was answered with, verbatim. */
  readonly refusal: JsonObject | undefined;
  /** True once the wire is closed, by whichever side. */
  readonly closed: boolean;
  /** Follows one request; its progress is told as it comes, before the answer that came in the same chunk. */
  follow(follower?: Follower): Exchange;
  /** Settles when every notification so far is sent or has failed; never rejects. */
  noticesSent(): Promise<void>;
}

/** What a tap tells and is told. */
export interface TapOptions {
  /** The InitializeResult that negotiation in place got: answers the SDK's own `initialize`, which then is not sent. */
  readonly initialize?: JsonObject | undefined;
  /** The wire is closed, by whichever side; once. */
  readonly onClosed: () => void;
  /** Something about the wire that is not fatal; never to be shown, for it can quote what was sent. */
  readonly onFault: (error: Error) => void;
  readonly onQuestion?: AnswerQuestion;
  /** Any notification of the server but progress, its params verbatim. */
  readonly onNotice?: (method: string, params: JsonObject, origin: Origin | undefined) => void;
  /** A request that nobody answers, and that was refused. */
  readonly onRefused?: (method: string) => void;
}

interface Followed extends Exchange {
  sent: boolean;
  answer: Answer | undefined;
  readonly follower: Follower;
  id: number | undefined;
}

/** What these are answered with says nothing; null says as much. */
const mayBeEmpty: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** Whose results go on to clients as they came, the text of their numbers with them; with all else we work ourselves. */
const passedOn: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete']);

/** Cannot clash with any key of a server or caller, and JSON leaves it out. */
const exchangeKey = Symbol('exchange');

/** Puts a tap around a wire. */
export function createTap(wire: Wire, options: TapOptions): Tap {
  const followed = new Map<number, { readonly exchange: Followed; readonly method: string }>();
  const abandoned = new Set<number>();
  const greeted = new Map<unknown, Greeting['method']>();
  const questions = new PushedQuestions(options.onQuestion ?? (() => undefined), frame => wire.send(frame));
  const notices = new Set<Promise<void>>();
  let greeting: Greeting | undefined;
  let refusal: JsonObject | undefined;
  let closed = false;
  let closing: Promise<void> | undefined;

  const tap: Tap = {
    get greeting() {
      return greeting;
    },
    get refusal() {
      return refusal;
    },
    get closed() {
      return closed;
    },
    get sessionId() {
      return wire.sessionId;
    },
    get hasPerRequestStream() {
      return wire.hasPerRequestStream ?? false;
    },
    follow(follower = {}) {
      const exchange: Followed = {
        meta: {},
        sent: false,
        answer: undefined,
        follower,
        id: undefined,
        [Symbol.dispose]() {
          if (exchange.id === undefined) return;
          followed.delete(exchange.id);
          if (exchange.answer === undefined) abandoned.add(exchange.id);
        },
      };
      Object.assign(exchange.meta, { [exchangeKey]: exchange });
      return exchange;
    },
    async noticesSent() {
      await Promise.allSettled(notices);
    },
    start() {
      // Only now, because a wire may keep what comes before anybody listens.
      wire.onmessage = receive;
      return wire.start();
    },
    send: (frame, sendOptions) => send(frame, sendOptions),
    setProtocolVersion: version => wire.setProtocolVersion?.(version),
    setSupportedProtocolVersions: versions => wire.setSupportedProtocolVersions?.(versions),
    close() {
      // The SDK closes a failed handshake without waiting for it, so a rejection here would be nobody's.
      closing ??= wire.close().then(noteClosed, error => {
        noteClosed();
        options.onFault(error instanceof Error ? error : new Error(String(error)));
      });
      return closing;
    },
    ...(wire.endSession && { endSession: signal => wire.endSession?.(signal) ?? Promise.resolve() }),
    ...(wire.explain && { explain: wire.explain.bind(wire) }),
    ...(wire.oddities && { oddities: wire.oddities.bind(wire) }),
  };

  wire.onclose = noteClosed;
  wire.onerror = error => {
    options.onFault(error);
    tap.onerror?.(error);
  };
  return tap;

  function noteClosed(): void {
    if (closed) return;
    closed = true;
    questions.withdrawAll();
    tap.onclose?.();
    options.onClosed();
  }

  function deliver(frame: object): void {
    tap.onmessage?.(frame as Frame);
  }

  function send(frame: Frame, sendOptions: TransportSendOptions | undefined): Promise<void> {
    if (!('method' in frame)) return wire.send(frame, sendOptions);
    if (!('id' in frame)) return sendNotice(frame, sendOptions);
    if (frame.method === 'initialize' && options.initialize !== undefined) {
      const { initialize } = options;
      greeting = { method: 'initialize', result: initialize };
      queueMicrotask(() => deliver({ jsonrpc: '2.0', id: frame.id, result: initializeForSdk(initialize) }));
      return Promise.resolve();
    }
    if (frame.method === 'initialize' || frame.method === 'server/discover') greeted.set(frame.id, frame.method);
    const meta: Record<PropertyKey, unknown> = frame.params?._meta ?? {};
    const exchange = meta[exchangeKey] as Followed | undefined;
    if (exchange === undefined) return wire.send(frame, sendOptions);
    exchange.id = requestId(frame.id);
    exchange.sent = true;
    if (exchange.id !== undefined) followed.set(exchange.id, { exchange, method: frame.method });
    return wire.send(withoutToken(frame), sendOptions);
  }

  function sendNotice(frame: Frame, sendOptions: TransportSendOptions | undefined): Promise<void> {
    const sending = wire.send(frame, sendOptions);
    notices.add(sending);
    const over = (): void => void notices.delete(sending);
    void sending.then(over, over); // the sender itself hears of a failure
    return sending;
  }

  function receive<T extends Frame>(frame: T, extra?: FrameOrigin): void {
    if ('method' in frame) {
      if (frame.method === 'notifications/progress') return tellProgress(frame.params);
      const origin = extra?.ofRequest === undefined ? undefined : { sender: senderOf(extra.ofRequest) };
      const params = plainNumbers(frame.params);
      if ('id' in frame) return takeRequest({ ...frame, params }, origin);
      tellNotice(frame.method, params, origin);
      tap.onmessage?.(frame, extra);
      return;
    }
    const answer = frame as unknown as JsonObject;
    const id = requestId(answer.id);
    const request = id === undefined ? undefined : followed.get(id);
    if (id !== undefined && abandoned.delete(id)) return;
    if (id !== undefined && request !== undefined) return settle(id, request.exchange, request.method, answer);
    const method = greeted.get(answer.id);
    greeted.delete(answer.id);
    if (method === 'server/discover' && isJsonObject(answer.error)) refusal = answer.error;
    if (method !== undefined && isJsonObject(answer.result)) {
      greeting = { method, result: answer.result };
      const copy = method === 'initialize' ? initializeForSdk(answer.result) : discoverForSdk(answer.result);
      return deliver({ jsonrpc: '2.0', id: answer.id, result: copy });
    }
    // The SDK takes no other result.
    if (answer.error === undefined && !isJsonObject(answer.result)) deliver({ ...frame, result: {} });
    else tap.onmessage?.(frame, extra);
  }

  /** The SDK sees no request: on 2026-07-28 it drops them, and a server waits for ever. */
  function takeRequest(
    { id, method, params }: Pick<JSONRPCRequest, 'id' | 'method'> & { readonly params: unknown },
    origin: Origin | undefined,
  ): void {
    if (questions.take(id, method, params, origin)) return;
    const isPing = method === 'ping';
    if (!isPing) options.onRefused?.(method);
    const answer = isPing ? { result: {} } : { error: { code: -32601, message: 'Method not found' } };
    // A wire that cannot take it any more says so to whoever is told of its end.
    wire.send({ jsonrpc: '2.0', id, ...answer }).catch(() => {});
  }

  function settle(id: number, exchange: Followed, method: string, frame: JsonObject): void {
    followed.delete(id);
    const given = frame.result === null && mayBeEmpty.has(method) ? {} : frame.result;
    const result = passedOn.has(method) ? given : plainNumbers(given);
    if (isJsonObject(result)) {
      exchange.answer = { kind: 'result', result };
      return deliver({ jsonrpc: '2.0', id, result: resultForSdk(method) });
    }
    exchange.answer = isJsonObject(frame.error) ? { kind: 'error', error: frame.error } : { kind: 'malformed' };
    deliver({ jsonrpc: '2.0', id, error: { code: -32603, message: 'The answer itself is kept by the tap.' } });
  }

  function tellProgress(params: unknown): void {
    if (!isJsonObject(params)) return;
    const id = requestId(params.progressToken);
    if (id !== undefined) followed.get(id)?.exchange.follower.onProgress?.(progressOf(params));
  }

  function tellNotice(method: string, params: unknown, origin: Origin | undefined): void {
    const said = isJsonObject(params) ? params : {};
    if (method === 'notifications/cancelled') questions.withdraw(said.requestId);
    else options.onNotice?.(method, said, origin);
  }

  function senderOf(request: string | number): object | undefined {
    const id = requestId(request);
    return id === undefined ? undefined : followed.get(id)?.exchange.follower.sender;
  }
}

/** As the server wrote it, but that a number may be a text; one that is missing is still a sign of life. */
function progressOf(params: JsonObject): Progress {
  const { progressToken: _, progress, total, ...rest } = params;
  const [done, all] = [progress, total].map(value => (typeof value === 'string' ? Number(value) : numberOf(value)));
  const isFinite = (value: number | undefined): value is number => Number.isFinite(value);
  return { ...rest, progress: isFinite(done) ? done : 0, ...(isFinite(all) && { total: all }) };
}

/** The SDK numbers its requests; some servers send such an id back as text. */
function requestId(id: unknown): number | undefined {
  const number = numberOf(id);
  if (number !== undefined) return number;
  return typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : undefined;
}

function withoutToken(frame: Frame): Frame {
  const { params, ...rest } = frame as { params: { _meta: Record<PropertyKey, unknown> } };
  const { _meta, ...others } = params;
  const { [exchangeKey]: _token, ...meta } = _meta;
  return { ...rest, params: Object.keys(meta).length === 0 ? others : { ...others, _meta: meta } } as unknown as Frame;
}

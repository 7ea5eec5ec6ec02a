import { AsyncLocalStorage } from 'node:async_hooks';
import { StreamableHTTPClientTransport, type TransportSendOptions } from '@modelcontextprotocol/client';
import type { Clock } from '../../core/clock.ts';
import type { LongshoreError } from '../../core/errors.ts';
import { createClosing } from './closing.ts';
import { frameGuard } from './frame-guard.ts';
import { createFrameStubs } from './frame-stubs.ts';
import { answerLost } from './frames.ts';
import { httpFailure, refusedStatus } from './http-failure.ts';
import { httpAgent, httpFetch } from './http-fetch.ts';
import { serverHeaders } from './http-headers.ts';
import type { HttpProxy } from './http-proxy.ts';
import { sessionIsGone } from './http-refusal.ts';
import { createStandingStream } from './standing-stream.ts';
import type { Frame, Wire } from './wire.ts';

/** The SDK's own delays, for streams of requests. */
const reconnection = { initialReconnectionDelay: 1000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 1.5 };
/** A request whose stream could not be resumed that often is lost. */
const mostResumed = 2;

/** Where a server is and how to ask it. */
export interface HttpWireOptions {
  /** `http:` or `https:`, without user and password. */
  readonly url: URL;
  /** The server's own headers, references resolved; those that the transport owns are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for name look-up, TCP and TLS together. Nothing else is bounded here. */
  readonly connectTimeout: number;
  readonly clock: Clock;
  /** What requests go through, if anything. */
  readonly proxy?: HttpProxy | undefined;
  /** Told which method is sent, before it is. */
  readonly onSend?: (method: string) => void;
}

/** A wire over HTTP: nothing is sent before `start`, and after `close` no socket and no timer is left. */
export interface HttpWire extends Wire {
  endSession(signal: AbortSignal): Promise<void>;
  explain: NonNullable<Wire['explain']>;
  /** Settles when the wire is closed, by whomever; never rejects. */
  readonly closed: Promise<void>;
}

/**
 * A wire over Streamable HTTP, both eras. Beside what the SDK's transport does: silence and idle
 * streams are never cut, a request whose stream ends for good without its answer is answered
 * with an error at once (code `answerLost`), and a session that the server has dropped closes the wire.
 * Throws `bad-config` for headers that HTTP cannot carry.
 */
export function createHttpWire(options: HttpWireOptions): HttpWire {
  const { url, connectTimeout, clock, proxy } = options;
  const headers = serverHeaders(options.headers);
  const agent = httpAgent(connectTimeout, proxy);
  const closing = createClosing(
    async () => {
      await inner.close();
      await agent.destroy();
    },
    () => wire.onclose?.(),
  );
  const unanswered = new Set<number | string>();
  /** What tells that the stream of a request has ended for good. */
  const ends = new Map<number | string, () => void>();
  // The SDK does not say on which stream a message came, but it reads each stream in the context of its request.
  const underWay = new AsyncLocalStorage<number | string | undefined>();
  const stubs = createFrameStubs(() => underWay.getStore());
  const ask = httpFetch({ agent, url, headers, stubs });
  let latestStatus = 0;
  let challenged = false;
  let hasStreamed = false;
  const standing = createStandingStream(clock, closing.signal);
  let fault: LongshoreError | undefined;
  const guarded = frameGuard(error => {
    fault ??= error;
    wire.onerror?.(error);
    closeSoon();
  });
  const inner = new StreamableHTTPClientTransport(url, {
    fetch: async (input, init) => {
      const answer = await ask(input, init);
      latestStatus = answer.status;
      challenged = answer.headers.has('www-authenticate');
      if (init?.method === 'GET') noteStream(answer);
      return answer;
    },
    // httpFetch has the stricter rule already.
    redirectPolicy: 'follow',
    // How often is decided below.
    reconnectionOptions: { ...reconnection, maxRetries: Number.POSITIVE_INFINITY },
    // The SDK remembers only the last of its timers; ours all end with the wire.
    reconnectionScheduler(reconnect, delay, attempt) {
      const ofRequest = underWay.getStore();
      if (ofRequest === undefined) return standing.openAgain(reconnect, delay, attempt);
      if (attempt >= mostResumed) {
        ends.get(ofRequest)?.();
        return;
      }
      const cancelled = new AbortController();
      clock.sleep(delay, AbortSignal.any([closing.signal, cancelled.signal])).then(reconnect, () => undefined);
      return () => cancelled.abort();
    },
  });

  /** A server that has streamed and then knows nothing of the stream was started anew; one that never has may not stream at all. */
  function noteStream({ ok, status }: Pick<Response, 'ok' | 'status'>): void {
    if (underWay.getStore() === undefined && ok && standing.opened()) {
      // What changed while nobody listened was not told.
      for (const list of ['tools', 'resources', 'prompts']) {
        wire.onmessage?.({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
      }
    }
    if (hasStreamed && sessionIsGone(status, undefined, inner.sessionId !== undefined)) closeSoon();
    hasStreamed ||= ok;
  }

  /** After the failure of what met it has been told, for that says more than a closed connection. */
  function closeSoon(): void {
    setImmediate(() => void wire.close());
  }

  function receive(frame: Frame): void {
    const ofRequest = underWay.getStore();
    if (!('method' in frame) && frame.id !== undefined) {
      unanswered.delete(frame.id);
      ends.delete(frame.id);
    }
    if (ofRequest === undefined && !('method' in frame && frame.method.endsWith('/list_changed'))) standing.heard();
    wire.onmessage?.(frame, ofRequest === undefined ? {} : { ofRequest });
  }

  inner.onmessage = stub => {
    const frame = stubs.taken(stub);
    // The SDK reads on; what is behind a message that cannot be worked with is nobody's.
    if (frame !== undefined && fault === undefined) guarded(() => receive(frame));
  };
  inner.onerror = error => wire.onerror?.(wire.explain(error));

  /** Adds to a request's options that the loss of its stream is told; a caller who watches the stream itself is told instead. */
  const watched = (id: number | string, options: TransportSendOptions = {}): TransportSendOptions => {
    const { onRequestStreamEnd, requestSignal } = options;
    if (onRequestStreamEnd === undefined) unanswered.add(id);
    const end = (): void => {
      ends.delete(id);
      onRequestStreamEnd?.();
      if (unanswered.delete(id)) wire.onmessage?.(lostAnswer(id));
    };
    ends.set(id, end);
    const forget = (): void => {
      ends.delete(id);
      unanswered.delete(id);
    };
    requestSignal?.addEventListener('abort', forget, { once: true });
    return { ...options, onRequestStreamEnd: end };
  };

  const wire: HttpWire = {
    hasPerRequestStream: true,
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: version => inner.setProtocolVersion(version),
    start: () => inner.start(),
    async send(frame, sending) {
      const id = 'method' in frame && 'id' in frame ? frame.id : undefined;
      if ('method' in frame) options.onSend?.(frame.method);
      // A call may lead to questions, which come on that stream.
      if (id !== undefined) standing.openNow();
      try {
        const watching = id === undefined ? sending : watched(id, sending);
        await underWay.run(id, () => inner.send(frame, sendOptions(watching)));
      } catch (error) {
        if (id !== undefined) {
          unanswered.delete(id);
          ends.delete(id);
        }
        const refused = refusedStatus(error);
        if (isRefusedNotice(frame, refused?.status)) return;
        if (refused !== undefined && sessionIsGone(refused.status, refused.text, inner.sessionId !== undefined)) {
          closeSoon();
        }
        throw error;
      }
    },
    async endSession(signal) {
      if (inner.sessionId === undefined || closing.signal.aborted) return;
      await endedBy(signal, terminated(inner));
    },
    close: closing.close,
    oddities: stubs.oddities,
    explain: error =>
      fault ??
      httpFailure(error, {
        url,
        session: inner.sessionId !== undefined,
        latestStatus,
        challenged,
        proxy,
        hide: headers.hide,
      }),
    closed: closing.closed,
  };
  return wire;
}

/** A server that does not want to hear a notification (400 to `initialized` and the like) can be spoken to all the same. */
function isRefusedNotice(frame: Frame, status: number | undefined): boolean {
  return (
    'method' in frame && !('id' in frame) && (status === 400 || status === 405 || status === 406 || status === 415)
  );
}

/** The transport's own type for the options has no `undefined` members. */
function sendOptions(options: TransportSendOptions | undefined): Parameters<StreamableHTTPClientTransport['send']>[1] {
  if (options === undefined) return undefined;
  const { resumptionToken, onresumptiontoken, requestSignal, onRequestStreamEnd, headers } = options;
  return {
    ...(resumptionToken !== undefined && { resumptionToken }),
    ...(onresumptiontoken !== undefined && { onresumptiontoken }),
    ...(requestSignal !== undefined && { requestSignal }),
    ...(onRequestStreamEnd !== undefined && { onRequestStreamEnd }),
    ...(headers !== undefined && { headers }),
  };
}

/** DELETE; a server that does not let clients end sessions (405), or has ended it already (404), is fine. */
async function terminated(transport: StreamableHTTPClientTransport): Promise<void> {
  try {
    await transport.terminateSession();
  } catch (error) {
    if (refusedStatus(error)?.status !== 404) throw error;
  }
}

/** Waits for a task, but no longer than the signal allows; the task itself ends with the wire. */
async function endedBy(signal: AbortSignal, task: Promise<void>): Promise<void> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const stop = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([task, ended.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    task.catch(() => undefined);
  }
}

function lostAnswer(id: number | string): Frame {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: answerLost, message: 'The stream of this request ended before its answer came.' },
  };
}

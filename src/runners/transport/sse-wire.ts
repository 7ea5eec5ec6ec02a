import { type FetchLike, SdkErrorCode, SdkHttpError, SSEClientTransport, SseError } from '@modelcontextprotocol/client';
import { LongshoreError } from '../../core/errors.ts';
import { createClosing } from './closing.ts';
import { frameGuard } from './frame-guard.ts';
import { createFrameStubs } from './frame-stubs.ts';
import { hostAndPort, httpFailure, notMcp } from './http-failure.ts';
import { httpAgent, httpFetch } from './http-fetch.ts';
import { serverHeaders } from './http-headers.ts';
import type { HttpWire, HttpWireOptions } from './http-wire.ts';

export interface SseWireOptions extends HttpWireOptions {
  /** Milliseconds that an open stream may take to name the endpoint for messages; it is the first thing a server says. */
  readonly endpointTimeout: number;
}

/**
 * A wire over the legacy HTTP+SSE transport. Its stream is its session: when that ends the wire closes, because a new
 * stream would be a session that was never initialised. `start` rejects with an SdkHttpError for a refusal, and with
 * `protocol-error` where no stream or no endpoint came (`data.legacySse` is then false: something else lives there).
 * Throws `bad-config` for headers that HTTP cannot carry.
 */
export function createSseWire(options: SseWireOptions): HttpWire {
  const { url, connectTimeout, clock, endpointTimeout, proxy } = options;
  const headers = serverHeaders(options.headers);
  const place = hostAndPort(url);
  const agent = httpAgent(connectTimeout, proxy);
  const closing = createClosing(
    async () => {
      await inner.close();
      await agent.destroy();
    },
    () => wire.onclose?.(),
  );
  const opened = Promise.withResolvers<void>();
  // Messages of all requests share one stream.
  const stubs = createFrameStubs(() => undefined);
  const send = httpFetch({ agent, url, headers, stubs });
  /** What the stream request itself met; the EventSource only tells a summary of it. */
  let refusal: unknown;
  let streaming = false;
  let challenged = false;

  /** Fails refusals by status, as the Streamable HTTP transport does, so that negotiation and `explain` see no difference. */
  const fetch: FetchLike = async (input, init) => {
    const posts = init?.method === 'POST';
    try {
      const answer = await send(input, init);
      challenged = answer.headers.has('www-authenticate');
      if (!answer.ok) throw await refused(answer);
      const contentType = answer.headers.get('content-type');
      if (posts) return answer;
      if (contentType?.toLowerCase().startsWith('text/event-stream') !== true) {
        throw notSse(notMcp(place, answer.status, contentType));
      }
      opened.resolve();
      return answer;
    } catch (error) {
      if (!posts) refusal ??= error;
      throw error;
    }
  };
  const inner = new SSEClientTransport(url, { fetch, redirectPolicy: 'follow' });
  let fault: LongshoreError | undefined;
  const guarded = frameGuard(error => {
    fault ??= error;
    wire.onerror?.(error);
    void wire.close(); // never rejects
  });
  inner.onmessage = stub => {
    const frame = stubs.taken(stub);
    if (frame !== undefined && fault === undefined) guarded(() => wire.onmessage?.(frame));
  };
  inner.onerror = error => {
    wire.onerror?.(wire.explain(error));
    if (streaming && error instanceof SseError) void wire.close(); // never rejects
  };

  const wire: HttpWire = {
    setProtocolVersion: version => inner.setProtocolVersion(version),
    async start() {
      const started = new AbortController();
      const late = opened.promise
        .then(() => clock.sleep(endpointTimeout, started.signal))
        .then(() => {
          throw notSse(noEndpoint(place));
        });
      try {
        await Promise.race([inner.start(), late, closing.closed]);
        if (closing.signal.aborted)
          throw new LongshoreError('connection-lost', `The connection to ${place} is closed.`);
        streaming = true;
      } catch (error) {
        await wire.close(); // the EventSource would try again and again
        throw refusal ?? error;
      } finally {
        started.abort();
        late.catch(() => undefined);
      }
    },
    send: frame => inner.send(frame),
    endSession: () => Promise.resolve(),
    close: closing.close,
    oddities: stubs.oddities,
    explain: error =>
      fault ??
      httpFailure(error, { url, session: streaming, latestStatus: 200, challenged, proxy, hide: headers.hide }),
    closed: closing.closed,
  };
  return wire;
}

function noEndpoint(place: string): LongshoreError {
  return new LongshoreError(
    'protocol-error',
    `${place} opened a stream and never said where to send messages. This does not look like an MCP endpoint of the SSE kind; check the URL.`,
    { data: { mayHaveRun: false } },
  );
}

/** True for the failure of a start where something answered that is not the legacy transport. */
export function isNotSse(error: unknown): boolean {
  return error instanceof LongshoreError && error.data?.['legacySse'] === false;
}

function notSse(error: LongshoreError): LongshoreError {
  return new LongshoreError(error.code, error.message, { data: { ...error.data, legacySse: false } });
}

async function refused(answer: Response): Promise<SdkHttpError> {
  const { status, statusText } = answer;
  const text = await answer.text();
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, statusText, text });
}

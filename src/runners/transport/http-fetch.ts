import type { FetchLike } from '@modelcontextprotocol/client';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { LongshoreError } from '../../core/errors.ts';
import { decodedBody } from './content-decoding.ts';
import type { FrameStubs } from './frame-stubs.ts';
import { type HttpAnswer, refusedAnswer, streamedAnswer } from './http-answer.ts';
import type { ServerHeaders } from './http-headers.ts';
import type { HttpProxy } from './http-proxy.ts';

/** The sockets to one server, direct or through a proxy. Only connecting is bounded here: MCP has its own deadlines, and a silent call or an idle stream is no fault. */
export function httpAgent(connectTimeout: number, proxy: HttpProxy | undefined): Agent | ProxyAgent {
  const connect = { timeout: connectTimeout };
  // One socket for each request: a stream that is open for hours cannot hold up, or be cut by, anything else.
  const options = { headersTimeout: 0, bodyTimeout: 0, connect, allowH2: false };
  if (proxy === undefined) return new Agent(options);
  return new ProxyAgent({ ...options, uri: proxy.uri, requestTls: connect, proxyTls: connect });
}

/** What one server's requests have in common. */
export interface HttpFetchOptions {
  readonly agent: Dispatcher;
  readonly url: URL;
  readonly headers: ServerHeaders;
  /** What the SDK gets in place of the messages of answers. */
  readonly stubs: FrameStubs;
}

const mostRedirects = 5;

/**
 * The `fetch` of one server for the SDK's transports. It adds the server's headers to every request to the server's own
 * origin, under those of the transport, and follows redirects only within the origin and with the same method:
 * any other is refused with `unreachable`, and nothing at all is sent to where it points.
 */
export function httpFetch({ agent, url: server, headers, stubs }: HttpFetchOptions): FetchLike {
  const send = async (input: string | URL, init: RequestInit = {}): Promise<HttpAnswer> => {
    const method = (init.method ?? 'GET') as Dispatcher.HttpMethod;
    let url = new URL(input);
    for (let followed = 0; ; followed++) {
      const reply = await request(url, {
        dispatcher: agent,
        method,
        headers: requestHeaders(url.origin === server.origin ? headers.sent : {}, init.headers),
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
      });
      const location = reply.headers.location;
      if (reply.statusCode < 300 || reply.statusCode > 399 || typeof location !== 'string') {
        const { 'content-encoding': encoding, ...rest } = reply.headers;
        const body = await decodedBody(reply.body, Array.isArray(encoding) ? encoding.join() : encoding);
        const decoded = { statusCode: reply.statusCode, headers: rest, body };
        if (reply.statusCode < 300) return streamedAnswer(url, decoded, headers.hide, stubs);
        return await refusedAnswer(url, decoded, headers.hide);
      }
      await reply.body.dump();
      url = redirectTarget({ from: url, location, method, status: reply.statusCode, followed, hide: headers.hide });
    }
  };
  // The SDK types its fetch with the whole Response but reads only what HttpAnswer has.
  return send as unknown as FetchLike;
}

function requestHeaders(
  own: Readonly<Record<string, string>>,
  transport: RequestInit['headers'],
): Record<string, string> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity', ...own };
  (transport instanceof Headers ? transport : new Headers(transport)).forEach((value, name) => {
    headers[name] = value;
  });
  return headers;
}

interface Redirect {
  readonly from: URL;
  readonly location: string;
  readonly method: string;
  readonly status: number;
  readonly followed: number;
  readonly hide: (text: string) => string;
}

function redirectTarget({ from, location, method, status, followed, hide }: Redirect): URL {
  const refuse = (why: string): LongshoreError =>
    new LongshoreError('unreachable', hide(why), { data: { status, mayHaveRun: false } });
  const to = URL.parse(location, from.href);
  if (to === null) throw refuse(`${from.origin} redirects (HTTP ${status}) to something that is not a URL.`);
  if (to.origin !== from.origin) {
    throw refuse(
      `${from.origin} redirects to another place, ${to.origin}; that is not followed, and nothing was sent there. If it is the server you mean, give its URL instead.`,
    );
  }
  if (status === 303 && method !== 'GET') {
    throw refuse(
      `${from.origin} answers with a redirect to ${to.pathname} for reading (HTTP 303), which is no MCP answer. Check the URL.`,
    );
  }
  if (followed === mostRedirects) throw refuse(`${from.origin} redirects in circles. Check the URL.`);
  return to;
}

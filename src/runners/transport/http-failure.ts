import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { LongshoreError } from '../../core/errors.ts';
import { answerLost } from './frames.ts';
import type { HttpProxy } from './http-proxy.ts';
import { excerpt, refusalFailure } from './http-refusal.ts';
import { networkFailure } from './network-failure.ts';

/** What a failure is about. */
export interface FailureContext {
  readonly url: URL;
  /** Whether requests name a session: then a 404 means that it is gone. */
  readonly session: boolean;
  /** Status of the server's latest answer, for answers of which the SDK tells only the content type. */
  readonly latestStatus: number;
  /** Whether that answer named a way to log in (WWW-Authenticate). */
  readonly challenged: boolean;
  /** What requests go through, if anything. */
  readonly proxy?: HttpProxy | undefined;
  /** Takes header values out of a text. */
  readonly hide: (text: string) => string;
}

/**
 * Turns what undici, Node or the SDK threw into one of our errors: `unreachable`, `needs-login`, `connection-lost`,
 * `timeout`, `result-too-large` or `protocol-error`. Its message names host and port, quotes at most 500 characters
 * of an answer, and holds no header value; `data.mayHaveRun` says whether the server may have acted on the request.
 */
export function httpFailure(
  error: unknown,
  { url, session, latestStatus, challenged, proxy, hide }: FailureContext,
): LongshoreError {
  const place = hostAndPort(url);
  const chain = causes(error);
  const ours = chain.find(link => link instanceof LongshoreError);
  if (ours !== undefined) return ours;
  const found = explained(chain, { place, session, latestStatus, challenged, proxy }) ?? unexplained(chain, place);
  // A parser's error quotes what it could not read.
  const quotes = chain.some(({ name }) => name === 'SyntaxError');
  return new LongshoreError(found.code, hide(found.message), {
    ...(!quotes && { cause: error }),
    ...(found.data !== undefined && { data: found.data }),
  });
}

/** The HTTP status that an error, or one of its causes, is about. */
export function refusedStatus(
  error: unknown,
): { readonly status: number; readonly text: string | undefined } | undefined {
  const refusal = causes(error).find(link => link instanceof SdkHttpError);
  if (refusal === undefined) return undefined;
  const text = refusal.data['text'];
  return { status: refusal.status, text: typeof text === 'string' ? text : undefined };
}

/** `host:port`, the port spelled out even where it is the scheme's own. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/** An error and what caused it, outermost first. */
function causes(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && !chain.includes(link) && chain.length < 10; link = link.cause) {
    chain.push(link);
  }
  return chain;
}

interface Scene extends Pick<FailureContext, 'session' | 'latestStatus' | 'challenged' | 'proxy'> {
  readonly place: string;
}

function explained(chain: readonly Error[], scene: Scene): LongshoreError | undefined {
  for (const link of chain) {
    const found = explainedBySdk(link, scene) ?? explainedByNode(link, scene);
    if (found !== undefined) return found;
  }
  return undefined;
}

function explainedBySdk(error: Error, { place, session, latestStatus, challenged }: Scene): LongshoreError | undefined {
  if (error.name === 'UnauthorizedError' || error.name === 'InsufficientScopeError') {
    return new LongshoreError('needs-login', `${place} asks for a login. Log in to it first.`, neverRan);
  }
  if (error instanceof SdkHttpError) {
    const text = error.data['text'];
    return refusalFailure({
      status: error.status,
      text: typeof text === 'string' ? text : undefined,
      place,
      session,
      challenged,
    });
  }
  if ('code' in error && error.code === answerLost) {
    return new LongshoreError('connection-lost', `${place} ended its stream before the answer came.`, mayHaveRun);
  }
  if (!(error instanceof SdkError)) return undefined;
  if (error.code === SdkErrorCode.RequestTimeout) {
    return new LongshoreError('timeout', `${place} did not answer in time.`, mayHaveRun);
  }
  if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected) {
    return new LongshoreError('connection-lost', `The connection to ${place} is closed.`, mayHaveRun);
  }
  if (error.code !== SdkErrorCode.ClientHttpUnexpectedContent) return undefined;
  return notMcp(place, latestStatus, contentTypeOf(error.data));
}

function explainedByNode(error: Error, { place, proxy }: Scene): LongshoreError | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const network = networkFailure(code);
  if (network !== undefined) {
    const through = proxy === undefined ? '' : ` through the proxy ${proxy.place} (${proxy.variable})`;
    return new LongshoreError('unreachable', `Cannot reach ${place}${through}: ${network.reason}`, {
      data: { reason: code, mayHaveRun: network.mayHaveRun },
    });
  }
  const refusedBy = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
  if (proxy !== undefined && refusedBy !== undefined) {
    const why = `The proxy ${proxy.place} (${proxy.variable}) does not let requests through to ${place}: HTTP ${refusedBy}.`;
    const advice = ` Allow it there, or list ${place.replace(/:\d+$/, '')} in NO_PROXY.`;
    return new LongshoreError('unreachable', why + advice, neverRan);
  }
  if (error.name === 'HTTPParserError') {
    return new LongshoreError(
      'protocol-error',
      `What listens at ${place} does not speak HTTP. Check the port.`,
      mayHaveRun,
    );
  }
  if (error.name === 'AbortError') {
    return new LongshoreError('connection-lost', `The connection to ${place} is closed.`, mayHaveRun);
  }
  if (error.name === 'SyntaxError' || error.name === 'ZodError' || error.name === '$ZodError') {
    return new LongshoreError(
      'protocol-error',
      `${place} answered with something that is no JSON-RPC message. This does not look like an MCP endpoint; check the URL.`,
      mayHaveRun,
    );
  }
  return undefined;
}

function unexplained(chain: readonly Error[], place: string): LongshoreError {
  const said = excerpt(chain[0]?.message);
  return new LongshoreError(
    'protocol-error',
    `The exchange with ${place} failed${said === '' ? '.' : `: ${said}`}`,
    mayHaveRun,
  );
}

/** The failure of an answer that is a success to HTTP and nothing to MCP. */
export function notMcp(place: string, status: number, contentType: string | null): LongshoreError {
  return new LongshoreError(
    'protocol-error',
    `${place} answers with HTTP ${status} and ${contentType === null ? 'no content type' : excerpt(contentType)}. This does not look like an MCP endpoint; check the URL.`,
    { data: { status, ...(contentType !== null && { contentType: excerpt(contentType) }), mayHaveRun: true } },
  );
}

function contentTypeOf(data: unknown): string | null {
  const found = typeof data === 'object' && data !== null && 'contentType' in data ? data.contentType : null;
  return typeof found === 'string' ? found : null;
}

const mayHaveRun = { data: { mayHaveRun: true } };
const neverRan = { data: { mayHaveRun: false } };

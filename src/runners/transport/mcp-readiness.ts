import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { legacyVersions } from '../../core/protocol-versions.ts';
import { clientInfo } from '../../core/version.ts';

/** How long is waited. */
export interface ReadinessOptions {
  readonly clock: Clock;
  /** Milliseconds in all. */
  readonly budget: number;
  /** Aborted when the caller gave up or the container ended; its reason is what is thrown. */
  readonly signal: AbortSignal;
  /** Sent with every question. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds for one question; a server that is just starting may accept a connection and not answer it. */
const patience = 5_000;
const firstPause = 100;
const longestPause = 2_000;
const bodyLimit = 64 * 1024;

/**
 * Waits until one of the places gives an MCP answer, and says which: a JSON-RPC body to a POST, whatever its status. An
 * accepted connection or any other HTTP answer proves nothing. Rejects with
 * `failed-to-start`, which tells what each place did instead, or with the signal's reason.
 */
export async function mcpReady<Place extends { readonly url: URL }>(
  places: readonly Place[],
  { clock, budget, signal, headers = {} }: ReadinessOptions,
): Promise<Place> {
  const end = clock.now() + budget;
  const outcomes = new Map<URL, string>();
  for (let pause = firstPause; ; pause = Math.min(pause * 1.6, longestPause)) {
    for (const place of places) {
      signal.throwIfAborted();
      const outcome = await ask(place.url, signal, headers);
      if (outcome === 'ready') return place;
      outcomes.set(place.url, outcome);
    }
    signal.throwIfAborted();
    if (clock.now() + pause >= end) throw notReady(outcomes, budget);
    await clock.sleep(pause, signal);
  }
}

const ping = { jsonrpc: '2.0', id: 'longshore-ready', method: 'ping' };
const initialize = {
  jsonrpc: '2.0',
  id: 'longshore-ready',
  method: 'initialize',
  params: { protocolVersion: legacyVersions[0], capabilities: {}, clientInfo },
};

/** `ready`, or what came instead. */
async function ask(url: URL, signal: AbortSignal, own: Readonly<Record<string, string>>): Promise<string> {
  const answer = await post(url, ping, signal, own);
  if (answer.isMcp || answer.status !== 400) return answer.outcome;
  // Some servers refuse whatever comes outside of a session in words of their own; only the handshake shows what they
  // are. It is not the first question, since others allow one handshake in their life, and that is not ours to take.
  const greeted = await post(url, initialize, signal, own);
  const session = greeted.headers['mcp-session-id'];
  if (typeof session === 'string') await send(url, 'DELETE', undefined, signal, { ...own, 'mcp-session-id': session });
  return greeted.outcome;
}

interface Answer {
  readonly isMcp: boolean;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly outcome: string;
}

async function post(
  url: URL,
  question: object,
  signal: AbortSignal,
  own: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await send(url, 'POST', JSON.stringify(question), signal, {
    ...own,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  if (typeof answer === 'string') return { isMcp: false, status: 0, headers: {}, outcome: answer };
  const { status, headers, body } = answer;
  const isMcp = /(^|[{,\s])"jsonrpc"\s*:\s*"2\.0"/.test(body);
  return { isMcp, status, headers, outcome: isMcp ? 'ready' : `answered HTTP ${status}` };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a connection of its own; never throws, a failure is told in words. */
function send(
  url: URL,
  method: string,
  body: string | undefined,
  outer: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<Reply | string> {
  const expiry = AbortSignal.timeout(patience);
  const signal = AbortSignal.any([outer, expiry]);
  return new Promise(resolve => {
    const fail = (error: Error) => resolve(expiry.aborted ? 'does not answer' : inWords(error));
    const asked = request(url, { method, agent: false, signal, headers }, reply => {
      reply.on('error', fail);
      void firstOf(reply).then(text => {
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: text });
        asked.destroy();
      }, fail);
    });
    asked.on('error', fail);
    asked.end(body);
  });
}

/** The body, or as much of an event stream as holds its first event: the rest may never come. */
async function firstOf(reply: IncomingMessage): Promise<string> {
  const isStream = reply.headers['content-type']?.startsWith('text/event-stream') ?? false;
  let text = '';
  for await (const chunk of reply.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > bodyLimit || (isStream && /^data:.*\n/m.test(text))) break;
  }
  return text;
}

function inWords(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET') return 'accepts connections and drops them';
  if (code === 'ECONNREFUSED') return 'refuses connections';
  return error.message;
}

function notReady(outcomes: ReadonlyMap<URL, string>, budget: number): LongshoreError {
  const told = [...outcomes].map(([url, outcome]) => `${url.pathname} ${outcome}`).join(', ');
  const dropped = [...outcomes.values()].every(outcome => outcome.includes('connections'));
  const advice = dropped
    ? ' If the server listens on 127.0.0.1 inside the container, tell it to listen on 0.0.0.0 (often a --host flag).'
    : '';
  return new LongshoreError(
    'failed-to-start',
    `The container runs, but did not answer MCP over HTTP within ${budget / 1000} s: ${told}.${advice}`,
    { data: { outcomes: Object.fromEntries([...outcomes].map(([url, outcome]) => [url.pathname, outcome])) } },
  );
}

import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { LongshoreError } from '../../core/errors.ts';
import type { FrameStubs } from './frame-stubs.ts';

/** The part of fetch's Response that the SDK's transports and their EventSource read. */
export type HttpAnswer = Pick<
  Response,
  'body' | 'headers' | 'json' | 'ok' | 'redirected' | 'status' | 'statusText' | 'text' | 'url'
>;

/** What an answer is made of, as undici's `request` gives it. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
}

/** Bytes of one message that we keep in memory: more than any sensible result, less than what would hurt the host. */
export const largestFrame = 64 * 1024 * 1024;

/** Characters of an error page that anybody could want to read. Twice that is read, so that no secret is cut in two and missed. */
const largestErrorText = 32 * 1024;

/** Takes what must not be shown out of a server's words. */
export type Clean = (text: string) => string;

/**
 * An answer over a raw body: JSON is read in one go and streams as they come, without the web streams of a real
 * Response in between (they cost four times as much CPU as all the rest of a small call). Messages are stood for by stubs.
 * A message beyond `limit` fails with `result-too-large`.
 */
export function streamedAnswer(
  url: URL,
  reply: HttpReply,
  clean: Clean,
  stubs: Pick<FrameStubs, 'body' | 'events'>,
  limit = largestFrame,
): HttpAnswer {
  let web: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  const text = (): Promise<string> => readText(reply.body, limit, tooLarge(limit));
  return {
    ...head(url, reply, clean),
    get body() {
      web ??= webStream(reply.body, limit, stubs.events());
      return web;
    },
    text,
    json: async () => stubs.body(await text()),
  };
}

/** The answer of a refusal: its text read at once, cut to a sensible length and cleaned before anybody sees it. */
export async function refusedAnswer(url: URL, reply: HttpReply, clean: Clean): Promise<HttpAnswer> {
  const text = clean(await readText(reply.body, 2 * largestErrorText, 'cut')).slice(0, largestErrorText);
  return {
    ...head(url, reply, clean),
    body: null,
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(text).then(parseJson),
  };
}

type Head = Pick<HttpAnswer, 'headers' | 'ok' | 'redirected' | 'status' | 'statusText' | 'url'>;

const mcpTypes = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i;

function head(url: URL, reply: HttpReply, clean: Clean): Head {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) {
      // The one header that errors quote; the types that we must recognise stay as they are.
      headers.append(name, name === 'content-type' && !mcpTypes.test(one) ? clean(one) : one);
    }
  }
  return {
    url: url.href,
    headers,
    status: reply.statusCode,
    // Never the server's own words: they could repeat a header of ours.
    statusText: STATUS_CODES[reply.statusCode] ?? '',
    ok: reply.statusCode >= 200 && reply.statusCode < 300,
    redirected: false,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not the parser's own error, which quotes the text.
    throw new SyntaxError('The answer is not JSON.');
  }
}

function tooLarge(limit: number): LongshoreError {
  return new LongshoreError(
    'result-too-large',
    `The server sent a message of more than ${limit} bytes, which is not kept. Ask it for less at a time.`,
    { data: { limit } },
  );
}

/** Reads a body as text up to `limit` bytes; the rest is left unread, silently or with that error. */
function readText(body: Readable, limit: number, beyond: 'cut' | LongshoreError): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.push(chunk.subarray(0, chunk.length - (size - limit)));
      if (beyond === 'cut') resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(beyond);
      body.destroy();
    });
    body.on('end', () => resolve(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString('utf8')));
    body.on('error', reject);
    body.on('close', () => reject(new Error('The connection closed before the answer was complete.')));
  });
}

/** The body as the web stream that event-stream parsers want, with back-pressure. */
function webStream(
  body: Readable,
  limit: number,
  stubbed: ReturnType<FrameStubs['events']>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const measure = frameMeter(limit);
  return new ReadableStream({
    start(controller) {
      body.on('data', (chunk: Buffer<ArrayBuffer>) => {
        if (!measure(chunk)) return void body.destroy(tooLarge(limit));
        const stubs = stubbed(chunk);
        if (stubs !== undefined) controller.enqueue(stubs);
        if ((controller.desiredSize ?? 0) <= 0) body.pause();
      });
      body.on('end', () => controller.close());
      body.on('error', error => controller.error(error));
    },
    pull() {
      body.resume();
    },
    cancel() {
      body.destroy();
    },
  });
}

const lineFeed = 0x0a;

/** Counts the bytes since the last blank line of an event stream; says false once one event is larger than `limit`. */
export function frameMeter(limit: number): (chunk: Uint8Array) => boolean {
  let event = 0;
  let line = 0;
  return chunk => {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const length = line + end - start;
      // Blank, or only the \r of a \r\n; other lines of one character say nothing in an event stream.
      event = length <= 1 ? 0 : event + length + 1;
      if (event > limit) return false;
      line = 0;
      start = end + 1;
    }
    line += chunk.length - start;
    return event + line <= limit;
  };
}

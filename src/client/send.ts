import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { LongshoreError } from '../core/errors.ts';
import { failureOf } from './problem.ts';
import type { Target } from './target.ts';

/** One request, its body ready. */
export interface Outgoing {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request and gives the response as soon as its headers are there; its body is still to be read. Rejects with
 * `unreachable`, with `unknown-outcome` where what was asked may have been done, or `cancelled`.
 */
export async function send(target: Target, outgoing: Outgoing): Promise<IncomingMessage> {
  const { path, body } = outgoing;
  const request = await open(new URL(target.url + path), requestOptions(target, outgoing), target.certificate);
  return await new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', error => reject(sendError(error, target, outgoing, request)));
    request.end(body);
  });
}

/**
 * Switches a connection to another protocol and gives its socket; what the service said before it is read comes first.
 * Rejects with the LongshoreError that the service answered, `unreachable` or `cancelled`.
 */
export async function upgrade(target: Target, path: string, protocol: string): Promise<Duplex> {
  const outgoing: Outgoing = { method: 'GET', path, headers: { connection: 'Upgrade', upgrade: protocol } };
  const request = await open(new URL(target.url + path), requestOptions(target, outgoing), target.certificate);
  return await new Promise((resolve, reject) => {
    request.once('upgrade', (_response, socket: Duplex, head: Buffer) => {
      if (head.byteLength > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('response', response => {
      readText(response, target, outgoing).then(
        text => reject(failureOf(response.statusCode ?? 0, text, target.url)),
        reject,
      );
    });
    request.once('error', error => reject(sendError(error, target, outgoing, request)));
    request.end();
  });
}

/** The whole body as text. Rejects like `send`. */
export async function readText(response: IncomingMessage, target: Target, outgoing: Outgoing): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (error) {
    throw sendError(error, target, outgoing, response);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function requestOptions(target: Target, { method, body, headers, signal }: Outgoing): RequestOptions {
  return {
    method,
    headers: {
      accept: 'application/json',
      ...(target.host !== undefined && { host: target.host }),
      ...(target.token !== undefined && { authorization: `Bearer ${target.token}` }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...headers,
    },
    ...(signal && { signal }),
  };
}

async function open(url: URL, options: RequestOptions, certificate: string | undefined): Promise<ClientRequest> {
  // Importing it would evaluate all that it exports, a WebSocket and thereby all of undici too: a fivefold start-up.
  if (url.protocol === 'http:') return process.getBuiltinModule('node:http').request(url, options);
  // Most services listen on loopback without TLS, and every command line would pay for loading it.
  const { request: httpsRequest } = await import('node:https');
  if (certificate === undefined) return httpsRequest(url, options);
  const { X509Certificate } = await import('node:crypto');
  const expected = new X509Certificate(certificate).raw;
  return httpsRequest(url, {
    ...options,
    ca: certificate,
    allowPartialTrustChain: true,
    // It is known by itself, whatever names it was made for.
    checkServerIdentity: (_, { raw }) => (raw.equals(expected) ? undefined : new Error('It is another certificate.')),
  });
}

function sendError(
  error: unknown,
  { url }: Target,
  { method, path, signal }: Outgoing,
  sent: Pick<ClientRequest | IncomingMessage, 'socket'>,
): LongshoreError {
  if (signal?.aborted) return new LongshoreError('cancelled', 'It was cancelled.', { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const wasConnected = !['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code);
  if (method !== 'GET' && wasConnected && sent.socket?.bytesWritten !== 0) {
    const what = path.split('?')[0];
    return new LongshoreError(
      'unknown-outcome',
      `The service at ${url} went away while it was asked (${method} ${what}). It may have been done: look before you repeat it.`,
      { cause: error },
    );
  }
  return new LongshoreError('unreachable', `There is no answer from ${url} (${code}). Start it with: longshore serve`, {
    cause: error,
  });
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import { type Bind, checkBind, isLoopback } from './bind.ts';
import { problem } from './problem.ts';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Without a slash at the end, e.g. `http://127.0.0.1:7411`. */
  readonly url: string;
  /**
   * Accepts no more, lets what runs finish for at most `budget` milliseconds, and then ends every socket. Resolves when
   * none is left; a second call joins the first.
   */
  close(budget: number): Promise<void>;
}

/** What answers a request: a hono app's `fetch`. */
export type Answer = (
  request: Request,
  bindings: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
) => Response | Promise<Response>;

/** What is answered on the same port without going through the app: the MCP endpoint. */
export interface RawSide {
  takes(request: IncomingMessage): boolean;
  /** True for a request whose `Upgrade` is one of ours; any other is answered as if it had none (RFC 9110, 7.8). */
  upgrades(request: IncomingMessage): boolean;
  /** Answers its own failures. */
  request(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

/** Far more than programs and pages open; each takes some kilobytes even if it says nothing. */
const mostConnections = 4_096;

/**
 * How long a client may take to send its headers, and its whole request, and how long a connection may be idle: longer than
 * clients and proxies keep one, or a request meets a connection that is just being closed. Milliseconds.
 */
const patience = { headers: 15_000, request: 120_000, idle: 75_000 } as const;

/** Listens where it is allowed to. Rejects with `bad-setting` for a bind that is not, or a port that is taken. */
export async function listen(answer: Answer, bind: Bind, log: Log, raw?: RawSide): Promise<Listening> {
  checkBind(bind);
  const listener = getRequestListener((request, bindings) => answer(request, bindings as Parameters<Answer>[1]), {
    // An embedding program's own Request and Response are not ours to replace.
    overrideGlobalObjects: false,
    errorHandler: () => problem(new LongshoreError('usage', 'The request cannot be read as HTTP.')),
  });
  const options = {
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    shouldUpgradeCallback: (incoming: IncomingMessage) => raw?.upgrades(incoming) === true,
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // A socket whose last answer is out stays open for another request, which a server that closes does not want.
    outgoing.once('close', () => setImmediate(() => closing && server.closeIdleConnections()));
    // Both answer their own failures.
    if (raw?.takes(incoming)) void raw.request(incoming, outgoing);
    else void listener(incoming, outgoing);
  };
  const server: Server = bind.tls
    ? tlsServer({ ...options, ...bind.tls }, onRequest)
    : createServer(options, onRequest);
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node takes its own listener off a socket that it hands over, and a reset without one would end the process.
    socket.on('error', () => socket.destroy());
    if (raw?.upgrades(incoming)) void raw.upgrade(incoming, socket, head);
    // Before Node 24.9 every upgrade comes here.
    else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.maxConnections = mostConnections;
  let closing: Promise<void> | undefined;
  server.listen({ host: bind.host, port: bind.port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, bind);
  }
  // Out of file descriptors, say: one connection is lost, the service goes on.
  server.on('error', error => log.error({ err: error }, 'A connection could not be accepted.'));
  const { port } = server.address() as AddressInfo;
  const name = isLoopback(bind.host) ? bind.host : (bind.allowedHosts[0] ?? bind.host);
  return {
    port,
    url: `${bind.tls ? 'https' : 'http'}://${isIPv6(name) ? `[${name}]` : name}:${port}`,
    close(budget) {
      closing ??= close(server, budget);
      return closing;
    },
  };
}

async function close(server: Server, budget: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), budget);
  await closed;
  clearTimeout(timer);
}

function tlsServer(...given: Parameters<typeof createTlsServer>): Server {
  try {
    return createTlsServer(...given);
  } catch (error) {
    // No cause: the messages below may quote the key.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new LongshoreError(
      'bad-setting',
      `The files of --tls-cert and --tls-key are not a certificate and its private key in PEM form (${code}).`,
    );
  }
}

function listenError(error: unknown, { host, port }: Bind): LongshoreError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is used by another program. Stop that one, or choose another port with --port or LONGSHORE_PORT (0 takes a free one).`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023 with --port or LONGSHORE_PORT.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose one that it has with --host or LONGSHORE_HOST.`,
    ENOTFOUND: `There is no host ${host}. Choose a name or address of this machine with --host or LONGSHORE_HOST.`,
  };
  return new LongshoreError('bad-setting', sentences[code] ?? `Cortex cannot listen on ${host}:${port}: ${code}.`, {
    cause: error,
    data: { host, port, code },
  });
}

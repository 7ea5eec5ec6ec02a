import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { emptyScope, wholeScope } from '../core/caller-scope.ts';
import type { Clock } from '../core/clock.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { Log } from '../core/ports/log.ts';
import type { ClientSide } from '../host/client-access.ts';
import { cut } from '../lib/cut.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import type { McpClient } from '../mcp/mcp-client.ts';
import { type AuthDeps, bearerOf, identify } from './auth.ts';
import type { HostCheck } from './host-check.ts';
import { type Limits, rateLimit, tooMany } from './limits.ts';
import type { Principal } from './principal.ts';
import { problem } from './problem.ts';
import type { Tickets } from './tickets.ts';

/** What stands between the network and the endpoint. */
export interface GateDeps {
  readonly auth: AuthDeps;
  /** Told the address of a request without a good token. Throws `too-many-requests`. */
  readonly onGuess: (address: string) => void;
  readonly endpoint: Pick<McpEndpoint, 'http' | 'socket'>;
  readonly checkHost: HostCheck;
  readonly limits: Pick<Limits, 'perClient'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whose tools the operator's own token reaches. */
  readonly defaultAgent: AgentId;
  readonly tickets: Tickets;
  readonly clients: Pick<ClientSide, 'scopeOf' | 'servers'>;
}

/** The raw side of the port: requests that are answered without the REST API's framework. */
export interface McpGate {
  /** True for /mcp and what is below it. */
  takes(request: IncomingMessage): boolean;
  /** True for those of them that ask for `mcp-stdio`. */
  upgrades(request: IncomingMessage): boolean;
  request(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** `longshore mcp` brings a client over stdio: from here on the socket carries its lines. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

/** The name of the protocol that a socket is switched to. */
export const stdioProtocol = 'mcp-stdio';

/** See `McpGate`. A request passes, in this order: host and origin, token, rate, path. */
export function createMcpGate(needs: GateDeps): McpGate {
  const takeOne = rateLimit(needs.limits.perClient, needs.clock);

  /** A ticket is for one client over stdio, and nothing else. */
  async function whoIs(token: string, isStdio: boolean): Promise<Principal | undefined> {
    const ticket = isStdio ? needs.tickets.take(token) : undefined;
    // Whoever was revoked since reaches nothing.
    const client = ticket && needs.clients.scopeOf(ticket.id) !== emptyScope ? ticket : undefined;
    return client ? { kind: 'client', client } : await identify(token, needs.auth);
  }

  async function admit(request: IncomingMessage, isStdio: boolean): Promise<McpClient> {
    const { host, origin, authorization } = request.headers;
    needs.checkHost(host, origin);
    const token = bearerOf(authorization);
    const principal = token === undefined ? undefined : await whoIs(token, isStdio);
    if (principal === undefined) {
      needs.onGuess(request.socket.remoteAddress ?? 'unknown');
      throw tokenNeeded(token);
    }
    const client = clientOf(principal, pathOf(request));
    const wait = takeOne(client.id);
    if (wait > 0) throw tooMany('Too many requests in a short time.', wait);
    return client;
  }

  function clientOf(principal: Principal, path: string): McpClient {
    const { id, agentId, caller, scope } =
      principal.kind === 'operator'
        ? { id: 'operator', agentId: needs.defaultAgent, caller: 'operator' as const, scope: () => wholeScope }
        : { ...principal.client, scope: () => needs.clients.scopeOf(principal.client.id) };
    const server = serverOf(path);
    if (server === undefined) return { id, agentId, caller, scope, server };
    const { servers } = scope();
    const isThere = needs.clients.servers(agentId).some(one => one.server === server);
    if (isThere && (servers === null || servers.includes(server))) {
      return { id, agentId, caller, scope, server: server as ServerKey };
    }
    throw new LongshoreError(
      'unknown-server',
      `There is no server ${JSON.stringify(cut(server, 64))} for this client.`,
    );
  }

  const takes = (request: IncomingMessage): boolean => /^\/mcp(?:\/|$)/.test(pathOf(request));
  return {
    takes,
    upgrades: request => takes(request) && request.headers.upgrade?.toLowerCase() === stdioProtocol,
    async request(request, response) {
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('cache-control', 'no-store');
      let client: McpClient;
      try {
        client = await admit(request, false);
      } catch (error) {
        await refuse(needs.log, error, response);
        return;
      }
      await needs.endpoint.http(client, request, response);
    },
    async upgrade(request, socket, head) {
      try {
        const client = await admit(request, true);
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${stdioProtocol}\r\n\r\n`);
        needs.endpoint.socket(client, socket, head);
      } catch (error) {
        const answer = problem(asLongshoreError(error));
        const body = await answer.text();
        const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
        socket.end(
          `HTTP/1.1 ${answer.status} Refused\r\nConnection: close\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      }
    },
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?')[0] ?? '/';
}

/** The server of `/mcp/:server`. Throws `unknown-route` for anything longer. */
function serverOf(path: string): string | undefined {
  // A slash at the end means the same.
  const [, , server, ...more] = (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  if (server === undefined) return undefined;
  if (more.length === 0 && /^[A-Za-z0-9_-]+$/.test(server)) return server;
  throw new LongshoreError('unknown-route', 'There is only /mcp, and /mcp/ with the name of a server.');
}

const refusedCode = -32_000;

/** How a refusal is told over HTTP; the challenge is RFC 6750's, section 3. */
function refusalOf(failure: LongshoreError) {
  const { headers, status } = problem(failure);
  const message = failure.code === 'internal' ? 'The log says more.' : failure.message;
  const isUnknown = failure.code === 'not-signed-in' && failure.data?.['given'] === true;
  const challenge = isUnknown ? `, error="invalid_token", error_description="${message.replaceAll('"', "'")}"` : '';
  const wait = headers.get('retry-after');
  return {
    status,
    message,
    headers: {
      ...(status === 401 && { 'www-authenticate': `Bearer realm="longshore"${challenge}` }),
      ...(wait !== null && { 'retry-after': wait }),
    },
  };
}

/** What a client of /mcp can do about it; where the operator's own token lies is no business of a client. */
function tokenNeeded(token: string | undefined): LongshoreError {
  const make = 'The person who runs Longshore makes one with: longshore token create NAME';
  const message =
    token === undefined
      ? `This needs a token of a caller, sent as "Authorization: Bearer …". ${make}`
      : `This token is not known, or not any more. ${make}`;
  return new LongshoreError('not-signed-in', message, { data: { given: token !== undefined } });
}

async function refuse(log: Log, error: unknown, response: ServerResponse): Promise<void> {
  const failure = asLongshoreError(error);
  if (failure.code === 'internal') log.error({ err: error }, 'A request at /mcp failed.');
  const { status, headers, message } = refusalOf(failure);
  // In the words that MCP clients read: an error of JSON-RPC, whose id was not looked at.
  const body = { jsonrpc: '2.0', id: null, error: { code: refusedCode, message, data: { code: failure.code } } };
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

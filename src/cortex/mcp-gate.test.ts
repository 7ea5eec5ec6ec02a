import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cortexGround, operatorToken } from '../../test/fixtures/cortex-deps.ts';
import { type CallerScope, emptyScope, wholeScope } from '../core/caller-scope.ts';
import { systemClock } from '../core/clock.ts';
import type { AgentId } from '../core/ids.ts';
import { silentLog } from '../core/ports/log.ts';
import type { McpClient } from '../mcp/mcp-client.ts';
import type { ClientCaller } from '../store/callers.ts';
import { hostCheck } from './host-check.ts';
import { createMcpGate, type McpGate } from './mcp-gate.ts';
import { createSignIns } from './sign-ins.ts';
import { createTickets } from './tickets.ts';

const agentId = 'did:example:a' as AgentId;
const limits = { perClient: { perSecond: 1, burst: 3 } };

describe('the door of the endpoint', () => {
  const clients: McpClient[] = [];
  const sockets: McpClient[] = [];
  const guesses: string[] = [];
  const tickets = createTickets(systemClock);
  let stop: () => Promise<void>;
  let gate: McpGate;
  let scope: CallerScope = wholeScope;
  let port = 0;
  let token = '';
  let ticket = '';
  let ticketHolder: ClientCaller;

  beforeEach(async () => {
    const ground = await cortexGround();
    const { callers } = ground.store;
    const made = await callers.create('claude', agentId);
    token = made.token;
    ticketHolder = made.caller;
    ticket = tickets.issue(ticketHolder);
    clients.length = sockets.length = guesses.length = 0;
    gate = createMcpGate({
      endpoint: {
        http: async (client, _request, response) => {
          clients.push(client);
          response.end('in');
        },
        socket: (client, socket) => {
          sockets.push(client);
          socket.end();
        },
      },
      auth: { operatorToken, callers, signIns: createSignIns(systemClock) },
      onGuess: address => void guesses.push(address),
      checkHost: hostCheck([]),
      limits,
      clock: systemClock,
      log: silentLog,
      defaultAgent: agentId,
      tickets,
      clients: {
        scopeOf: () => scope,
        servers: () => [{ server: 'notes' as never, instructions: undefined, missing: undefined }],
      },
    });
    const server = createServer((incoming, response) => void gate.request(incoming, response));
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      void gate.upgrade(incoming, socket, head);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    stop = async () => {
      server.close();
      server.closeAllConnections();
      await ground[Symbol.asyncDispose]();
    };
  });
  afterEach(() => stop());

  async function ask(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response;
  }

  const by = (who: string) => ({ authorization: `Bearer ${who}` });

  it('B21: knows a client by its token, and which server it wants, with or without a slash at the end', async () => {
    expect((await ask('/mcp', by(token))).statusCode).toBe(200);
    expect((await ask('/mcp/notes?x=1', by(token))).statusCode).toBe(200);
    expect((await ask('/mcp/', by(operatorToken))).statusCode).toBe(200);
    expect((await ask('/mcp/notes/', by(token))).statusCode).toBe(200);
    expect(clients.map(({ caller, server }) => [caller, server])).toEqual([
      ['client:claude', undefined],
      ['client:claude', 'notes'],
      ['operator', undefined],
      ['client:claude', 'notes'],
    ]);
    expect(clients[0]?.id).not.toBe('claude');
  });

  it('refuses whoever has no good token, and counts that by address', async () => {
    for (const headers of [{}, by('lsc_wrong'), by(ticket), { authorization: `Basic ${token}` }]) {
      const response = await ask('/mcp', headers as Record<string, string>);
      expect([response.statusCode, response.headers['www-authenticate']]).toEqual([
        401,
        expect.stringMatching(/^Bearer realm="longshore"/),
      ]);
    }
    expect(guesses).toEqual(Array(4).fill('127.0.0.1'));
    expect(clients).toEqual([]);
  });

  it('refuses what comes for another host or from a page elsewhere, whatever its token', async () => {
    expect((await ask('/mcp', { ...by(token), host: 'evil.example' })).statusCode).toBe(421);
    expect((await ask('/mcp', { ...by(token), origin: 'http://evil.example' })).statusCode).toBe(403);
    expect(clients).toEqual([]);
  });

  it('says of a server that is not there, and of any longer path, that it is not there', async () => {
    for (const path of ['/mcp/other', '/mcp/notes/more', '/mcp/no%2Fway']) {
      expect((await ask(path, by(token))).statusCode).toBe(404);
    }
  });

  it('limits how fast one client may ask; another is not touched', async () => {
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await ask('/mcp', by(token))).statusCode);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses).toContain(429);
    expect((await ask('/mcp', by(operatorToken))).statusCode).toBe(200);
  });

  it('lets a client over stdio in by a ticket, once, and by its own token', async () => {
    async function upgrade(who: string): Promise<number | undefined> {
      const headers = { ...by(who), connection: 'Upgrade', upgrade: 'mcp-stdio' };
      const sent = request({ host: '127.0.0.1', port, path: '/mcp', headers });
      sent.end();
      const answered = Promise.race([once(sent, 'upgrade'), once(sent, 'response')]);
      const [response, socket] = (await answered) as [IncomingMessage, Socket | undefined];
      socket?.destroy();
      response.resume();
      return response.statusCode;
    }
    expect([await upgrade(ticket), await upgrade(ticket), await upgrade(token)]).toEqual([101, 401, 101]);
    expect(sockets.map(({ caller }) => caller)).toEqual(['client:claude', 'client:claude']);
    const late = tickets.issue(ticketHolder);
    scope = emptyScope;
    // Whoever was revoked after its ticket was made.
    expect(await upgrade(late)).toBe(401);
    scope = wholeScope;
    const asking = (protocol: string) => ({ url: '/mcp', headers: { upgrade: protocol } }) as IncomingMessage;
    expect([gate.upgrades(asking('websocket')), gate.upgrades(asking('MCP-stdio'))]).toEqual([false, true]);
  });
});

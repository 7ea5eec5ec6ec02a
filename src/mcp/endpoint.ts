import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { AgentId } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import type { ClientSide } from '../host/client-access.ts';
import type { ServerNotice } from '../host/server-notices.ts';
import { ByteBudget } from '../lib/byte-budget.ts';
import type { EndpointContext, EndpointSettings } from './endpoint-context.ts';
import { answerHttp, type HttpEndpointDeps } from './http-endpoint.ts';
import { KeptResults } from './kept-results.ts';
import { LinkedResources } from './linked-resources.ts';
import { clientHas, type McpClient } from './mcp-client.ts';
import { isAtLeast, lowestLevel } from './methods/governed-call.ts';
import { createMethods } from './methods/methods.ts';
import { findToolsDefinition, ToolFinder } from './methods/tool-finder.ts';
import { metaKeys } from './request-headers.ts';
import { LegacyRequests } from './sessions/legacy-requests.ts';
import type { LegacySession } from './sessions/legacy-session.ts';
import { ListenStreams } from './sessions/listen-streams.ts';
import { ModernRequests } from './sessions/modern-requests.ts';
import { sessionIds } from './sessions/session-ids.ts';
import { Sessions } from './sessions/sessions.ts';
import { SocketClient } from './socket-endpoint.ts';
import { Views } from './views.ts';

/** The MCP endpoint: what answers clients, whichever way they come. */
export interface McpEndpoint {
  http(client: McpClient, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** A client over stdio, whose lines come over this socket. */
  socket(client: McpClient, socket: Duplex, head: Buffer): void;
  /** Something that lists depend on has changed: of one agent, or of all. */
  changed(agentId?: AgentId): void;
  /** A server said something that belongs to no call. */
  notice(notice: ServerNotice): void;
  /** The token of a client is good for nothing any more: what it has open ends. */
  revoked(clientId: string): Promise<void>;
  /** Ends everything, in order. */
  close(): Promise<void>;
}

export interface EndpointDeps {
  readonly host: ClientSide;
  readonly settings: EndpointSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** The rate of clients over stdio, whose requests do not pass the gate one by one; see `SocketDeps`. */
  takeOne(clientId: string): number;
  /** Signs the ids of sessions, so that a restarted service knows its own. */
  readonly sessionKey: string;
  url(): string;
}

/** Times in milliseconds, sizes in bytes. */
const silence = 20_000;
const keepAlive = 15_000;
const idleSession = 30 * 60_000;
const mostSessions = 2_000;
const mostBody = 16 * 1024 * 1024;
/** Bytes of the requests under way, of one client and of all: what is parsed of them takes several times that. */
const mostUnderWay = { each: 32 * 1024 * 1024, all: 64 * 1024 * 1024 } as const;

/** What a 2025 client has asked to hear, and what servers say by themselves to one that has asked for nothing. */
function wants({ logLevel, subscriptions, hello }: LegacySession, { method, params }: ServerNotice): boolean {
  if (method === 'notifications/message') return isAtLeast(params.level, logLevel ?? 'debug');
  if (method === 'notifications/elicitation/complete') return clientHas(hello, 'elicitation.url');
  return typeof params.uri === 'string' && subscriptions.has(params.uri);
}

/** The subscription is ours at its server, and means nothing to a client. */
function withoutSubscription({ _meta, ...params }: JsonObject): JsonObject {
  if (!isJsonObject(_meta)) return params;
  const { [metaKeys.subscription]: _, ...rest } = _meta;
  return Object.keys(rest).length === 0 ? params : { ...params, _meta: rest };
}

/** See `McpEndpoint`. */
export function createMcpEndpoint(needs: EndpointDeps): McpEndpoint {
  const { host, settings, clock, log } = needs;
  const finder = new ToolFinder(host, client => views.changed(client.agentId));
  const views: Views = new Views({
    handles: host.handles,
    sees: host.sees,
    listed: (client, tools) =>
      finder.narrows(client)
        ? tools.filter(tool => host.isPinned(client, tool) || finder.hasFound(client, tool))
        : tools,
    extra: client => (finder.narrows(client) ? [findToolsDefinition] : []),
  });
  const kept = new KeptResults();
  const links = new LinkedResources();
  const ground: EndpointContext = {
    host,
    settings,
    views,
    kept,
    links,
    finder,
    log,
    url: needs.url,
    logLevelSet: heed,
  };
  const methods = createMethods(ground);
  const modern = new ModernRequests(methods);
  const legacy = new LegacyRequests(ground, methods);
  const listens = new ListenStreams(ground);
  const open = new Map<LegacySession, () => void>();
  const sockets = new Set<SocketClient>();

  function onOpened(session: LegacySession): void {
    const stop = views.watch(session.client, kinds => {
      for (const kind of kinds) session.notify(`notifications/${kind}/list_changed`, {});
    });
    open.set(session, stop);
  }

  function onClosed(session: LegacySession): void {
    open.get(session)?.();
    open.delete(session);
    heed(session.client.agentId);
  }

  /** 2025 servers send what anybody wants to read of them. */
  function heed(agentId: AgentId): void {
    const own = [...open.keys()].filter(({ client }) => client.agentId === agentId);
    const lowest = lowestLevel(own.flatMap(({ logLevel }) => logLevel ?? []));
    if (lowest !== undefined) host.setLogLevel(agentId, lowest);
  }

  const bodies = new ByteBudget(mostUnderWay);
  const reply = { silence, keepAlive };
  const sessions = new Sessions({
    clock,
    ids: sessionIds(needs.sessionKey),
    reply,
    idle: idleSession,
    mostOfOneClient: mostSessions,
    onOpened,
    onClosed,
  });
  const httpNeeds: HttpEndpointDeps = { modern, legacy, listens, sessions, views, reply, mostBody, bodies, log };
  const socketNeeds = {
    modern,
    legacy,
    listens,
    clock,
    log,
    mostLine: mostBody,
    bodies,
    takeOne: needs.takeOne,
    onOpened,
    onClosed,
  };

  /** True if this client may know of that server at all. */
  function mayHear(client: McpClient, { agentId, server }: ServerNotice): boolean {
    if (client.agentId !== agentId || (client.server ?? server) !== server) return false;
    const { servers } = client.scope();
    return servers === null || servers.includes(server);
  }

  return {
    http: (client, request, response) => answerHttp(httpNeeds, client, request, response),
    socket(client, socket, head) {
      const connected = new SocketClient(socketNeeds, client, socket, head);
      sockets.add(connected);
      socket.once('close', () => sockets.delete(connected));
    },
    changed(agentId) {
      views.changed(agentId);
      host.recheckSubscriptions();
    },
    notice(notice) {
      const { server, method, params } = notice;
      for (const session of open.keys()) {
        if (!mayHear(session.client, notice)) continue;
        if (wants(session, notice)) session.notify(method, withoutSubscription(params));
      }
      if (method !== 'notifications/resources/updated') return;
      for (const listening of listens.all) {
        if (mayHear(listening.client, notice)) listening.updated(server, params);
      }
    },
    async revoked(clientId) {
      modern.endAll(clientId);
      links.forget(clientId);
      finder.forget(clientId);
      const own = [...sockets].filter(({ client }) => client.id === clientId);
      for (const listening of listens.all) if (listening.client.id === clientId) listening.finish();
      await Promise.all([sessions.closeAll(clientId), ...own.map(one => one.end())]);
    },
    async close() {
      views.close();
      modern.endAll();
      for (const listening of listens.all) listening.finish();
      await Promise.all([sessions.closeAll(), ...[...sockets].map(one => one.end())]);
      kept.clear();
    },
  };
}

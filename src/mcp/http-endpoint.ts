import type { IncomingMessage, ServerResponse } from 'node:http';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import { cut } from '../lib/cut.ts';
import { asRpcError } from './failures.ts';
import { readBody } from './http-body.ts';
import {
  errorFrame,
  type Message,
  noticeFrame,
  type Prepared,
  parseMessage,
  type RequestId,
  RpcError,
  resultFrame,
} from './json-rpc.ts';
import type { McpClient } from './mcp-client.ts';
import { checkHeaders, checkParamHeaders, eraOfRequest, headerOf, readEnvelope } from './request-headers.ts';
import { isLegacyVersion, type LegacyRequests } from './sessions/legacy-requests.ts';
import type { ListenStreams } from './sessions/listen-streams.ts';
import type { ModernRequests } from './sessions/modern-requests.ts';
import { type ReplyOptions, ReplyStream } from './sessions/reply-stream.ts';
import type { HttpSession, Sessions } from './sessions/sessions.ts';
import type { Views } from './views.ts';

/** What the HTTP side stands on. */
export interface HttpEndpointNeeds {
  readonly modern: ModernRequests;
  readonly legacy: LegacyRequests;
  readonly listens: ListenStreams;
  readonly sessions: Sessions;
  readonly views: Views;
  readonly reply: Pick<ReplyOptions, 'silence' | 'keepAlive'>;
  /** Bytes of a request's body. */
  readonly mostBody: number;
  readonly log: Log;
}

type Request = Extract<Message, { kind: 'request' }>;
const sessionHeader = 'mcp-session-id';
/** What a 2025 client is told of a session that is no more: it then opens a new one. */
const sessionGone = -32_001;
const noSession = -32_000;

/** One request over Streamable HTTP of a client that has shown its token. Never rejects. */
export async function answerHttp(
  needs: HttpEndpointNeeds,
  client: McpClient,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (request.method === 'POST') return await post(needs, client, request, response);
    const id = headerOf(request.headers, sessionHeader);
    if (id !== undefined && (request.method === 'GET' || request.method === 'DELETE')) {
      return await ofSession(needs, client, id, request, response);
    }
    response.setHeader('allow', 'POST, GET, DELETE');
    refuse(response, 405, new RpcError(noSession, 'Only POST is for requests; GET and DELETE are of a session.'));
  } catch (error) {
    refuse(response, ...refusal(needs, error));
  }
}

async function post(
  needs: HttpEndpointNeeds,
  client: McpClient,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const message = parseMessage(await readBody(request, needs.mostBody));
  const { headers } = request;
  try {
    const era = message.kind === 'answer' ? 'legacy' : eraOfRequest(message, headers);
    if (era === 'modern' && message.kind !== 'answer') {
      checkHeaders(message, headers);
      if (message.kind === 'notice') return accepted(response);
      return await modern(needs, client, message, request, response);
    }
    const sessionId = headerOf(headers, sessionHeader);
    if (message.kind === 'request' && message.method === 'initialize') return greet(needs, client, message, response);
    const session = sessionOf(needs, client, sessionId, headerOf(headers, 'mcp-protocol-version'));
    if (message.kind !== 'request') {
      needs.legacy.take(session.session, message);
      return accepted(response);
    }
    return await legacy(needs, session, message, request, response);
  } catch (error) {
    refuse(response, ...refusal(needs, error), message.kind === 'request' ? message.id : null);
  }
}

async function modern(
  needs: HttpEndpointNeeds,
  client: McpClient,
  message: Request,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Before anything waits to be answered, for a refusal is an answer of its own.
  if (message.method === 'tools/call') checkParamHeaders(needs.views.of(client), message.params, request.headers);
  const gone = new AbortController();
  // The stream of a request is its client's only word about it: to close it is to cancel.
  response.once(
    'close',
    () => response.writableFinished || gone.abort(new LongshoreError('cancelled', 'The client closed its stream.')),
  );
  const reply = new ReplyStream({ ...needs.reply, takesEvents: takesEvents(request) }, response);
  if (message.method === 'subscriptions/listen') return await listen(needs, client, message, reply, response);
  const tell = (method: string, params: JsonObject) => reply.send(noticeFrame(method, params));
  await settle(needs, reply, message.id, needs.modern.answer(client, message, tell, gone.signal), gone.signal);
}

async function listen(
  needs: HttpEndpointNeeds,
  client: McpClient,
  message: Request,
  reply: ReplyStream,
  response: ServerResponse,
): Promise<void> {
  try {
    readEnvelope(message.params);
    const listening = await needs.listens.open(client, message, reply, frame => reply.end(frame));
    const leave = (): void => {
      reply.close();
      void listening[Symbol.asyncDispose](); // what it gives back is nobody's to wait for
    };
    if (response.closed) leave();
    else response.once('close', leave);
  } catch (error) {
    const [status, failure] = refusal(needs, error);
    reply.end(errorFrame(message.id, failure), status);
  }
}

function greet(needs: HttpEndpointNeeds, client: McpClient, { id, params }: Request, response: ServerResponse): void {
  const { hello, result } = needs.legacy.greet(client, params);
  const opened = needs.sessions.open(client, hello);
  const headers = { [sessionHeader]: opened.id };
  new ReplyStream({ ...needs.reply, takesEvents: false, headers }, response).end(resultFrame(id, result));
}

async function legacy(
  needs: HttpEndpointNeeds,
  session: HttpSession,
  message: Request,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  const headers = { [sessionHeader]: session.id };
  const reply = needs.sessions.reply(session, response, { ...needs.reply, takesEvents: takesEvents(request), headers });
  // A stream can be resumed; an answer of which nothing went out cannot.
  response.once('close', () => {
    if (!reply.ended && !reply.isResumable) gone.abort(new LongshoreError('cancelled', 'The client hung up.'));
  });
  await settle(
    needs,
    reply,
    message.id,
    needs.legacy.answer(session.session, message, reply, gone.signal),
    gone.signal,
  );
}

/** Sends what comes of a request; nothing to a client that is gone or has cancelled it. */
async function settle(
  needs: HttpEndpointNeeds,
  reply: ReplyStream,
  id: RequestId,
  answer: Promise<JsonObject | Prepared | undefined>,
  gone: AbortSignal,
): Promise<void> {
  try {
    const result = await answer;
    if (result === undefined) reply.close();
    else reply.end(resultFrame(id, result));
  } catch (error) {
    if (gone.aborted) return reply.close();
    const [status, failure] = refusal(needs, error);
    reply.end(errorFrame(id, failure), status);
  }
}

/** GET: what belongs to no request, or the rest of a broken stream. DELETE: the end. */
async function ofSession(
  needs: HttpEndpointNeeds,
  client: McpClient,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const session = sessionOf(needs, client, id, headerOf(request.headers, 'mcp-protocol-version'));
  if (request.method === 'DELETE') {
    await needs.sessions.close(session);
    response.writeHead(200).end();
    return;
  }
  if (!takesEvents(request))
    return refuse(response, 406, new RpcError(noSession, 'A stream is text/event-stream; accept that.'));
  const last = headerOf(request.headers, 'last-event-id');
  if (needs.sessions.resume(session, last, response)) return;
  // What was lost is not ours to invent; the client goes on with what comes now.
  needs.sessions.resume(session, undefined, response);
}

function sessionOf(
  needs: HttpEndpointNeeds,
  client: McpClient,
  id: string | undefined,
  version: string | undefined,
): HttpSession {
  if (id === undefined) {
    throw new RpcError(
      noSession,
      'Bad Request: no Mcp-Session-Id. Begin with initialize, or speak 2026-07-28.',
      undefined,
      400,
    );
  }
  if (version !== undefined && !isLegacyVersion(version)) {
    throw new RpcError(
      noSession,
      `Bad Request: MCP-Protocol-Version names ${cut(version, 40)}, which no session has.`,
      undefined,
      400,
    );
  }
  const session = needs.sessions.find(id, client);
  if (session) return session;
  throw new RpcError(sessionGone, 'Session not found: it ended, or never was. Begin with initialize.', undefined, 404);
}

function takesEvents({ headers }: IncomingMessage): boolean {
  const accept = headerOf(headers, 'accept') ?? '*/*';
  return /text\/event-stream|text\/\*|\*\/\*/i.test(accept);
}

function accepted(response: ServerResponse): void {
  response.writeHead(202).end();
}

function refusal({ log }: HttpEndpointNeeds, error: unknown): [number, RpcError] {
  const failure = asRpcError(log, error);
  if (error instanceof RpcError) return [failure.status, failure];
  const { http } = asLongshoreError(error).row;
  return [http >= 400 && http !== 499 ? http : 500, failure];
}

function refuse(response: ServerResponse, status: number, failure: RpcError, id: RequestId | null = null): void {
  if (response.headersSent) return void response.end();
  const body = Buffer.from(errorFrame(id, failure));
  // An error in a 2025 answer to a well-formed request is an answer, but one without a session is a refusal.
  response.writeHead(status === 200 ? 400 : status, {
    'content-type': 'application/json',
    'content-length': String(body.byteLength),
  });
  response.end(body);
}

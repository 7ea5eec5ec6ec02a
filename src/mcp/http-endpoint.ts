import type { IncomingMessage, ServerResponse } from 'node:http';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import { cut } from '../lib/cut.ts';
import { asRpcError } from './failures.ts';
import { readBody } from './http-body.ts';
import {
  errorFrame,
  idOf,
  type Message,
  noticeFrame,
  parseJson,
  type RequestId,
  RpcError,
  readMessage,
  resultFrame,
  rpcCodes,
} from './json-rpc.ts';
import type { McpClient } from './mcp-client.ts';
import { checkHeaders, checkParamHeaders, eraOfRequest, headerOf, readEnvelope } from './request-headers.ts';
import { isLegacyVersion, type LegacyRequests } from './sessions/legacy-requests.ts';
import type { Leaving } from './sessions/legacy-session.ts';
import type { ListenStreams } from './sessions/listen-streams.ts';
import type { ModernRequests } from './sessions/modern-requests.ts';
import { type ReplyOptions, ReplyStream } from './sessions/reply-stream.ts';
import type { HttpSession, Sessions } from './sessions/sessions.ts';
import type { Views } from './views.ts';

/** Dependencies of the HTTP side. */
export interface HttpEndpointDeps {
  readonly modern: ModernRequests;
  readonly legacy: LegacyRequests;
  readonly listens: ListenStreams;
  readonly sessions: Sessions;
  readonly views: Views;
  readonly reply: Pick<ReplyOptions, 'silence' | 'keepAlive'>;
  /** Bytes of a request's body. */
  readonly mostBody: number;
  /** Bytes of the requests that are not answered yet, by client. */
  readonly bodies: ByteBudget;
  readonly log: Log;
}

type Request = Extract<Message, { kind: 'request' }>;
const sessionHeader = 'mcp-session-id';
/** What a 2025 client is told of a session that is no more: it then opens a new one. */
const sessionGone = -32_001;
const noSession = -32_000;

/** One request over Streamable HTTP of a client that has shown its token. Never rejects. */
export async function answerHttp(
  needs: HttpEndpointDeps,
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
    refuse(response, ...refusal(needs, error), idOf(error));
  }
}

async function post(
  needs: HttpEndpointDeps,
  client: McpClient,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const held = needs.bodies.hold(client.id);
  response.once('close', () => held[Symbol.dispose]());
  const value = parseJson(await readBody(request, needs.mostBody, held));
  if (Array.isArray(value)) return await batch(needs, client, value, request, response);
  const message = readMessage(value);
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
  needs: HttpEndpointDeps,
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
  try {
    const result = await needs.modern.answer(client, message, tell, gone.signal);
    reply.end(resultFrame(message.id, result));
  } catch (error) {
    if (gone.signal.aborted) return reply.close();
    const failure = asRpcError(needs.log, error);
    // Another status is our own verdict on the request itself; what came of it is an answer.
    reply.end(errorFrame(message.id, failure), error instanceof RpcError ? failure.status : 200);
  }
}

async function listen(
  needs: HttpEndpointDeps,
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

function greet(needs: HttpEndpointDeps, client: McpClient, { id, params }: Request, response: ServerResponse): void {
  const { hello, result } = needs.legacy.greet(client, params);
  const opened = needs.sessions.open(client, hello);
  const headers = { [sessionHeader]: opened.id };
  new ReplyStream({ ...needs.reply, takesEvents: false, headers }, response).end(resultFrame(id, result));
}

async function legacy(
  needs: HttpEndpointDeps,
  session: HttpSession,
  message: Request,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { reply, leaving } = replyIn(needs, session, request, response);
  const frame = await frameOf(needs, session, message, reply, leaving);
  if (frame === undefined) reply.close();
  else reply.end(frame);
}

/**
 * The answer of a request within a session; undefined for a client that is gone or has cancelled it. Its status is 200
 * whatever it says: to 2025 clients 404 means that the session is gone, and others end it at 400.
 */
async function frameOf(
  { legacy, log }: HttpEndpointDeps,
  { session }: HttpSession,
  message: Request,
  outlet: ReplyStream,
  leaving: Leaving,
): Promise<string | undefined> {
  try {
    const result = await legacy.answer(session, message, outlet, leaving);
    return result === undefined ? undefined : resultFrame(message.id, result);
  } catch (error) {
    return leaving.gone.aborted ? undefined : errorFrame(message.id, asRpcError(log, error));
  }
}

/** The answer to a request in a session, and how its client leaves it: a stream can be resumed, silence cannot. */
function replyIn(
  needs: HttpEndpointDeps,
  session: HttpSession,
  request: IncomingMessage,
  response: ServerResponse,
): { readonly reply: ReplyStream; readonly leaving: Leaving } {
  const gone = new AbortController();
  const hungUp = new AbortController();
  const headers = { [sessionHeader]: session.id };
  const reply = needs.sessions.reply(session, response, { ...needs.reply, takesEvents: takesEvents(request), headers });
  response.once('close', () => {
    if (reply.ended) return;
    if (!reply.isResumable) gone.abort(new LongshoreError('cancelled', 'The client hung up.'));
    hungUp.abort();
  });
  return { reply, leaving: { gone: gone.signal, hungUp: hungUp.signal } };
}

/** The only revision that has batches. */
const batchRevision = '2025-03-26';
const mostOfBatch = 100;

function noBatch(): RpcError {
  const only = `Only sessions of ${batchRevision} take a list, of 1 to ${mostOfBatch}.`;
  return new RpcError(rpcCodes.invalidRequest, `The body must be one JSON-RPC 2.0 message. ${only}`);
}

/** Several messages in one body, answered by one list. Throws an RpcError. */
async function batch(
  needs: HttpEndpointDeps,
  client: McpClient,
  values: readonly unknown[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers } = request;
  const id = headerOf(headers, sessionHeader);
  if (id === undefined || values.length === 0 || values.length > mostOfBatch) throw noBatch();
  const session = sessionOf(needs, client, id, headerOf(headers, 'mcp-protocol-version'));
  if (session.session.hello.protocolVersion !== batchRevision) throw noBatch();
  const { reply, leaving } = replyIn(needs, session, request, response);
  const frames = await Promise.all(
    values.map(async value => {
      try {
        const message = readMessage(value);
        if (message.kind === 'request') return await frameOf(needs, session, message, reply, leaving);
        needs.legacy.take(session.session, message);
        return undefined;
      } catch (error) {
        return errorFrame(idOf(error), asRpcError(needs.log, error));
      }
    }),
  );
  const told = frames.filter(frame => frame !== undefined);
  if (told.length > 0) reply.end(`[${told.join(',')}]`);
  else reply.close();
}

/** GET: what belongs to no request, or the rest of a broken stream. DELETE: the end. */
async function ofSession(
  needs: HttpEndpointDeps,
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
  needs: HttpEndpointDeps,
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

function refusal({ log }: HttpEndpointDeps, error: unknown): [number, RpcError] {
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

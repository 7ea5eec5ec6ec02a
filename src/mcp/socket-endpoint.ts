import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import { Lines } from '../lib/lines.ts';
import { asRpcError } from './failures.ts';
import { tooMuchHeld } from './http-body.ts';
import {
  errorFrame,
  idOf,
  type Message,
  noticeFrame,
  type Prepared,
  parseJson,
  type RequestId,
  RpcError,
  readMessage,
  resultFrame,
  rpcCodes,
} from './json-rpc.ts';
import type { McpClient } from './mcp-client.ts';
import { describesItself, readEnvelope } from './request-headers.ts';
import type { LegacyRequests } from './sessions/legacy-requests.ts';
import { LegacySession } from './sessions/legacy-session.ts';
import type { Listening, ListenStreams } from './sessions/listen-streams.ts';
import type { ModernRequests } from './sessions/modern-requests.ts';

/** Dependencies of a client over stdio. */
export interface SocketDeps {
  readonly modern: ModernRequests;
  readonly legacy: LegacyRequests;
  readonly listens: ListenStreams;
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes of one message. */
  readonly mostLine: number;
  /** Bytes of the requests that are not answered yet, by client. */
  readonly bodies: ByteBudget;
  /** Takes one from the client's rate: 0 if there was one, else the seconds until there will be. */
  takeOne(clientId: string): number;
  onOpened(session: LegacySession): void;
  onClosed(session: LegacySession): void;
}

type Request = Extract<Message, { kind: 'request' }>;
/** A client that does not read: more than that unread ends it; bytes. */
const mostUnread = 64 * 1024 * 1024;

/** One client over stdio: a line a message, both ways; how a client speaks is told by its messages. */
export class SocketClient {
  readonly client: McpClient;
  readonly #needs: SocketDeps;
  readonly #socket: Duplex;
  readonly #gone = new AbortController();
  readonly #running = new Map<RequestId, AbortController>();
  readonly #listening = new Map<RequestId, Listening>();
  #session: LegacySession | undefined;
  #ended: Promise<void> | undefined;

  constructor(needs: SocketDeps, client: McpClient, socket: Duplex, head: Buffer) {
    this.#needs = needs;
    this.client = client;
    this.#socket = socket;
    // A client that vanishes is a client that left.
    socket.on('error', () => {});
    socket.once('close', () => void this.end());
    socket.once('end', () => void this.end());
    const lines = new Lines(
      needs.mostLine,
      () => new RpcError(rpcCodes.invalidRequest, `A message is longer than ${needs.mostLine} bytes.`),
    );
    const read = (chunk: Buffer): void => {
      try {
        for (const line of lines.read(chunk)) this.#receive(line);
      } catch (error) {
        this.send(errorFrame(null, asRpcError(needs.log, error)));
        void this.end();
      }
    };
    if (head.byteLength > 0) read(head);
    socket.on('data', read);
  }

  /** Ends everything that runs for it. Never rejects. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  send(frame: string): void {
    if (!this.#socket.writable) return;
    this.#socket.write(`${frame}\n`);
    if (this.#socket.writableLength > mostUnread) this.#socket.destroy();
  }

  async #end(): Promise<void> {
    for (const listening of this.#listening.values()) listening.finish();
    this.#gone.abort(new LongshoreError('cancelled', 'The client has gone.'));
    const session = this.#session;
    if (session) this.#needs.onClosed(session);
    const listening = [...this.#listening.values()];
    await Promise.allSettled([session?.close(), ...listening.map(one => one[Symbol.asyncDispose]())]);
    this.#socket.end();
  }

  #receive(line: string): void {
    const held = this.#needs.bodies.hold(this.client.id);
    // It answers its own failures.
    void this.#handle(line, held.add(line.length)).finally(() => held[Symbol.dispose]());
  }

  /** Settles when nothing of the line is under way any more. Never rejects. */
  async #handle(line: string, isRoom: boolean): Promise<void> {
    try {
      const value = parseJson(line);
      if (Array.isArray(value)) return await this.#batch(value);
      const message = readMessage(value);
      if (message.kind === 'request') {
        const refusal = isRoom ? this.#tooFast() : tooMuchHeld();
        if (refusal) return this.send(errorFrame(message.id, asRpcError(this.#needs.log, refusal)));
      }
      await this.#take(message);
    } catch (error) {
      this.send(errorFrame(idOf(error), asRpcError(this.#needs.log, error)));
    }
  }

  #tooFast(): LongshoreError | undefined {
    const wait = this.#needs.takeOne(this.client.id);
    if (wait === 0) return undefined;
    return new LongshoreError('too-many-requests', 'Too many requests in a short time.', {
      data: { retryAfterSeconds: wait },
    });
  }

  async #take(message: Message): Promise<void> {
    if (message.kind === 'request') await this.#answer(message);
    else if (message.kind === 'notice' && message.method === 'notifications/cancelled') this.#cancel(message);
    else if (this.#session) this.#needs.legacy.take(this.#session, message);
  }

  #cancel(message: Extract<Message, { kind: 'notice' }>): void {
    const { requestId } = message.params;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    this.#running.get(requestId)?.abort(new LongshoreError('cancelled', 'The client cancelled it.'));
    const listening = this.#listening.get(requestId);
    this.#listening.delete(requestId);
    void listening?.[Symbol.asyncDispose](); // what it gives back is nobody's to wait for
    if (this.#session) this.#needs.legacy.take(this.#session, message);
  }

  async #answer(request: Request): Promise<void> {
    const frame = await this.#frameOf(request);
    if (frame !== undefined) this.send(frame);
  }

  /** Several messages in one line, answered by one list (2025-03-26 alone). Never rejects. */
  async #batch(values: readonly unknown[]): Promise<void> {
    const takes = this.#session?.hello.protocolVersion === '2025-03-26' && values.length > 0;
    if (!takes) {
      const error = new RpcError(rpcCodes.invalidRequest, 'A batch is for clients that initialized with 2025-03-26.');
      return this.send(errorFrame(null, error));
    }
    const frames = await Promise.all(
      values.map(async value => {
        try {
          const message = readMessage(value);
          if (message.kind === 'request') return await this.#frameOf(message);
          await this.#take(message);
          return undefined;
        } catch (error) {
          return errorFrame(idOf(error), asRpcError(this.#needs.log, error));
        }
      }),
    );
    const told = frames.filter(frame => frame !== undefined);
    if (told.length > 0) this.send(`[${told.join(',')}]`);
  }

  /** Undefined where nothing is to be answered: it was cancelled, or its client has gone. */
  async #frameOf(request: Request): Promise<string | undefined> {
    const { id } = request;
    try {
      const result = describesItself(request) ? await this.#modern(request) : await this.#legacy(request);
      return result === undefined ? undefined : resultFrame(id, result);
    } catch (error) {
      return this.#gone.signal.aborted ? undefined : errorFrame(id, asRpcError(this.#needs.log, error));
    }
  }

  async #modern(request: Request): Promise<JsonObject | Prepared | undefined> {
    const { id } = request;
    if (request.method === 'subscriptions/listen') {
      readEnvelope(request.params);
      const listening = await this.#needs.listens.open(this.client, request, this, frame => this.send(frame));
      this.#listening.set(id, listening);
      // The client may have left meanwhile.
      if (this.#gone.signal.aborted) await listening[Symbol.asyncDispose]();
      return undefined;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    const tell = (method: string, params: JsonObject): void => this.send(noticeFrame(method, params));
    const signal = AbortSignal.any([controller.signal, this.#gone.signal]);
    try {
      const result = await this.#needs.modern.answer(this.client, request, tell, signal);
      return controller.signal.aborted ? undefined : result;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#running.delete(id);
    }
  }

  async #legacy(request: Request): Promise<JsonObject | Prepared | undefined> {
    const { legacy, clock } = this.#needs;
    if (request.method === 'initialize') {
      const { hello, result } = legacy.greet(this.client, request.params);
      if (this.#session) throw new RpcError(rpcCodes.invalidRequest, 'This client is initialized already.');
      this.#session = new LegacySession(this.client, hello, this, clock);
      this.#needs.onOpened(this.#session);
      return result;
    }
    if (!this.#session) throw new RpcError(rpcCodes.invalidRequest, 'Begin with initialize, or speak 2026-07-28.');
    return await legacy.answer(this.#session, request, this, { gone: this.#gone.signal });
  }
}

import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { Lines } from '../lib/lines.ts';

/** What a bridge between a client over stdio and the service needs. */
export interface BridgeDeps {
  readonly input: Readable;
  readonly output: Writable;
  /** A connection to the service, whose lines are MCP's; with `start` it is started if none runs. Rejects with a LongshoreError. */
  connect(start: boolean): Promise<Duplex>;
  readonly clock: Clock;
  /** Milliseconds that requests may still take once the input has ended. */
  readonly drain: number;
}

type Id = string | number;

/** Milliseconds between two looks whether the service is back; a line of the client starts it at once. */
const lookEvery = 1_000;
/** Characters of one line. */
const longestLine = 64 * 1024 * 1024;
const connectionLost = -32_000;
const lists = ['tools', 'resources', 'prompts'];

/**
 * Passes lines between a client and the service as they are, and outlives the service: what was under way is answered
 * with an error, the handshake is repeated on the next connection, and the client is told that lists may have changed.
 * The end of the input means that there are no more requests: those that run are still answered, within `drain`.
 * Resolves when the client has gone; rejects as the first `connect` does.
 */
export async function bridge(deps: BridgeDeps): Promise<void> {
  const socket = await deps.connect(true);
  // Only now, so that nothing is read from the client before there is somebody to take it.
  const running = new Bridge(deps);
  await running.connected(socket);
  await running.done;
}

class Bridge {
  readonly #deps: BridgeDeps;
  readonly #done = Promise.withResolvers<void>();
  /** Requests of the client that are not answered, by the JSON of their ids. */
  readonly #asked = new Map<string, Id>();
  /** Questions of the service that the client has not answered. */
  readonly #questions = new Map<string, Id>();
  /** Lines that came while there was no connection. */
  #waiting: string[] = [];
  #socket: Duplex | undefined;
  #isOver = false;
  #isConnecting = false;
  #hello: JsonObject | undefined;
  #isInitialized = false;

  constructor(deps: BridgeDeps) {
    this.#deps = deps;
    const { input, output } = deps;
    const lines = new Lines(longestLine, () => new LongshoreError('too-large', 'A line is too long.'));
    input.on('data', (chunk: Buffer) => this.#guard(() => lines.read(chunk).forEach(line => this.#fromClient(line))));
    input.once('end', () => {
      this.#guard(() => lines.rest().forEach(line => this.#fromClient(line)));
      void this.#drain();
    });
    input.once('error', () => this.#end());
    // A client that stops reading has left.
    output.once('error', () => this.#end());
    output.once('close', () => this.#end());
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Speaks over this connection from now on. Resolves once the handshake is repeated, if there was one. */
  async connected(socket: Duplex): Promise<void> {
    const lines = new Lines(longestLine, () => new LongshoreError('too-large', 'A line is too long.'));
    const greeted = Promise.withResolvers<void>();
    const hello = this.#hello;
    let isGreeting = hello !== undefined;
    socket.on('data', (chunk: Buffer) => {
      this.#guard(() => {
        for (const line of lines.read(chunk)) {
          if (!isGreeting) this.#fromService(line);
          else if (isAnswer(line, greetingId)) {
            isGreeting = false;
            greeted.resolve();
          }
        }
      });
    });
    socket.once('error', () => socket.destroy());
    socket.once('close', () => {
      greeted.resolve();
      this.#lost(socket);
    });
    if (hello !== undefined) {
      socket.write(`${JSON.stringify({ ...hello, id: greetingId })}\n`);
      await greeted.promise;
      if (socket.destroyed) return;
      if (this.#isInitialized)
        socket.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    }
    this.#socket = socket;
    if (hello !== undefined) for (const list of lists) this.#tell(`notifications/${list}/list_changed`, {});
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) this.#fromClient(line);
  }

  #fromClient(line: string): void {
    if (this.#socket === undefined) {
      this.#waiting.push(line);
      void this.#reconnect(true);
      return;
    }
    for (const message of messagesOf(line)) {
      const { id, method } = message;
      if (typeof method !== 'string') this.#questions.delete(JSON.stringify(id));
      else if (isId(id)) this.#asked.set(JSON.stringify(id), id);
      if (method === 'initialize') this.#hello = message;
      if (method === 'notifications/initialized') this.#isInitialized = true;
    }
    passOn(this.#socket, line, this.#deps.input);
  }

  #fromService(line: string): void {
    for (const { id, method } of messagesOf(line)) {
      if (typeof method !== 'string') this.#asked.delete(JSON.stringify(id));
      else if (isId(id)) this.#questions.set(JSON.stringify(id), id);
    }
    if (this.#socket) passOn(this.#deps.output, line, this.#socket);
  }

  #lost(socket: Duplex): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    const message = 'Longshore stopped while this was under way: it may have been done. Look before you repeat it.';
    for (const id of this.#asked.values()) {
      this.#write({ jsonrpc: '2.0', id, error: { code: connectionLost, message, data: { code: 'unknown-outcome' } } });
    }
    for (const requestId of this.#questions.values()) {
      this.#tell('notifications/cancelled', { requestId, reason: 'Longshore stopped.' });
    }
    this.#asked.clear();
    this.#questions.clear();
    if (!this.#isOver) void this.#reconnect(false);
  }

  /** Until there is a connection, or the client has gone. Never rejects. */
  async #reconnect(start: boolean): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    try {
      for (let isFirst = true; this.#socket === undefined && !this.#isOver; isFirst = false) {
        if (!isFirst) await this.#deps.clock.sleep(lookEvery);
        const wanted = start || this.#waiting.length > 0;
        try {
          await this.connected(await this.#deps.connect(wanted));
        } catch (error) {
          if (wanted) this.#refuseWaiting(error);
        }
      }
    } finally {
      this.#isConnecting = false;
    }
  }

  #refuseWaiting(error: unknown): void {
    const message = error instanceof LongshoreError ? error.message : 'Longshore cannot be reached.';
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { id, method } of waiting.flatMap(messagesOf)) {
      if (typeof method !== 'string' || !isId(id)) continue;
      this.#write({ jsonrpc: '2.0', id, error: { code: connectionLost, message } });
    }
  }

  async #drain(): Promise<void> {
    const { clock, drain } = this.#deps;
    const until = clock.now() + drain;
    while ((this.#asked.size > 0 || this.#waiting.length > 0) && clock.now() < until && !this.#isOver)
      await clock.sleep(50);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#socket?.destroy();
    this.#done.resolve();
  }

  /** A client that sends more than a line may have is ended, like one that leaves. */
  #guard(act: () => void): void {
    try {
      act();
    } catch {
      this.#end();
    }
  }

  #tell(method: string, params: JsonObject): void {
    this.#write({ jsonrpc: '2.0', method, params });
  }

  #write(frame: JsonObject): void {
    this.#deps.output.write(`${JSON.stringify(frame)}\n`);
  }
}

const greetingId = 'longshore-again';

/** Whoever writes faster than the other side reads is not read meanwhile. */
function passOn(to: Writable, line: string, from: Readable): void {
  if (to.write(`${line}\n`) || from.isPaused()) return;
  from.pause();
  const go = (): void => void from.resume();
  to.once('drain', go);
  to.once('close', go);
}

function isAnswer(line: string, wanted: Id): boolean {
  return messagesOf(line).some(({ id, method }) => id === wanted && method === undefined);
}

/** The messages of a line; none where it is no JSON, which the service says itself. */
function messagesOf(line: string): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(line);
    return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
  } catch {
    return [];
  }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number';
}

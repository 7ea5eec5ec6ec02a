import type { ServerResponse } from 'node:http';

/** How an answer is written; times in milliseconds. */
export interface ReplyOptions {
  /** False for a client that takes no events: then only the answer is sent. */
  readonly takesEvents: boolean;
  /** Numbers the events, so that a client of 2025 can resume a broken stream. */
  readonly stream?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After that long without a word, headers and a comment go out: clients give up a silent request after 300 s. */
  readonly silence: number;
  readonly keepAlive: number;
}

/** A client that does not read: more than that in its socket's buffer ends it; bytes. */
const mostUnread = 64 * 1024 * 1024;

const eventHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/**
 * The frames of one HTTP answer. One frame alone is a JSON body; as soon as something comes before it, or it takes long,
 * it is a stream of server-sent events. What was sent as events is kept for a client that lost the stream.
 */
export class ReplyStream {
  readonly #options: ReplyOptions;
  readonly #kept: string[] = [];
  #keptBytes = 0;
  #firstKept = 1;
  /** The number of the last event that somebody was there to read. */
  #sent = 0;
  #response: ServerResponse | undefined;
  #state: 'silent' | 'events' | 'ended' = 'silent';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReplyOptions, response?: ServerResponse) {
    this.#options = options;
    if (response === undefined) {
      this.#state = 'events';
      return;
    }
    this.#response = response;
    if (options.takesEvents) this.#timer = setTimeout(() => this.open(), options.silence);
  }

  /** True once a part of it went out as events, so that its client could come back for the rest. */
  get isResumable(): boolean {
    return this.#options.stream !== undefined && this.#state !== 'silent';
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** True while somebody reads. */
  get attached(): boolean {
    return this.#response !== undefined;
  }

  /** Sends a frame before the answer. One that the client could not take is dropped. */
  send(frame: string): void {
    if (this.#state === 'ended' || !this.#options.takesEvents) return;
    this.open();
    this.#write(frame);
  }

  /** Sends the answer; `status` counts only if nothing went out before. */
  end(frame: string, status = 200): void {
    clearTimeout(this.#timer);
    if (this.#state === 'ended') return;
    const was = this.#state;
    this.#state = 'ended';
    if (was === 'events') {
      this.#write(frame);
      this.#response?.end();
    } else if (this.#response) {
      const body = Buffer.from(frame);
      const headers = { 'content-type': 'application/json', 'content-length': String(body.byteLength) };
      this.#response.writeHead(status, { ...this.#options.headers, ...headers });
      this.#response.end(body);
    }
    this.#response = undefined;
  }

  /** Ends it without an answer. */
  close(): void {
    clearTimeout(this.#timer);
    const was = this.#state;
    this.#state = 'ended';
    if (was === 'silent') this.#response?.writeHead(204, this.#options.headers);
    this.#response?.end();
    this.#response = undefined;
  }

  /** From now on it is a stream of events. */
  open(): void {
    if (this.#state !== 'silent' || !this.#response) return;
    this.#state = 'events';
    clearTimeout(this.#timer);
    this.#response.writeHead(200, { ...this.#options.headers, ...eventHeaders });
    this.#response.write(':\n\n');
    this.#beat();
  }

  /** The client is back: it gets what came after the last event it saw (if not said: after what was sent), and the rest. */
  attach(response: ServerResponse, lastEvent = this.#sent): void {
    this.#response?.end();
    this.#response = response;
    response.writeHead(200, { ...this.#options.headers, ...eventHeaders });
    response.write(':\n\n');
    for (const [index, event] of this.#kept.entries()) {
      if (this.#firstKept + index > lastEvent) response.write(event);
    }
    this.#sent = this.#firstKept + this.#kept.length - 1;
    if (this.#state === 'ended') {
      response.end();
      this.#response = undefined;
    } else this.#beat();
  }

  /** The client is gone; it may come back for what is kept. */
  detach(response: ServerResponse): void {
    if (this.#response !== response) return;
    this.#response = undefined;
    clearTimeout(this.#timer);
  }

  #beat(): void {
    clearTimeout(this.#timer);
    this.#timer = setInterval(() => this.#response?.write(':\n\n'), this.#options.keepAlive);
    this.#timer.unref();
  }

  #write(frame: string): void {
    const { stream } = this.#options;
    const id = stream === undefined ? '' : `id: ${stream}.${this.#firstKept + this.#kept.length}\n`;
    const event = `${id}event: message\ndata: ${frame}\n\n`;
    if (stream !== undefined) this.#keep(event);
    if (this.#response) this.#sent = this.#firstKept + this.#kept.length - 1;
    this.#response?.write(event);
    if ((this.#response?.writableLength ?? 0) > mostUnread) this.#response?.destroy();
  }

  /** The last ones are kept, and the newest always, however large: it may be the answer. */
  #keep(event: string): void {
    this.#kept.push(event);
    this.#keptBytes += event.length;
    while (this.#kept.length > 1 && (this.#kept.length > mostKept || this.#keptBytes > mostKeptBytes)) {
      this.#keptBytes -= this.#kept.shift()?.length ?? 0;
      this.#firstKept += 1;
    }
  }
}

const mostKept = 256;
const mostKeptBytes = 1024 * 1024;

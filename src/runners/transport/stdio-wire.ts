import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Diagnostic } from '../../core/words.ts';
import { asFrame } from './as-frame.ts';
import { drained } from './drained.ts';
import { frameGuard } from './frame-guard.ts';
import { createFrameOddities } from './frame-oddities.ts';
import { createFrameQueue } from './frame-queue.ts';
import { answeredId, isResponse, resultTooLarge } from './frames.ts';
import { createLineReader, type OversizedLine } from './line-reader.ts';
import { createOpenRequests } from './open-requests.ts';
import { readFrames } from './read-frames.ts';
import { createStdoutNoise } from './stdout-noise.ts';
import type { Frame, Wire } from './wire.ts';

/** A wire over the two pipes of a process; `start` may be called again by the next one who sits on it. */
export interface StdioWire extends Wire {
  /** Shows every inbound frame first, as it comes; true takes it from the consumer. Returns the way to stop. */
  intercept(take: (frame: Frame) => boolean): () => void;
  /** Settles when the wire is closed, by whatever cause; never rejects. */
  readonly closed: Promise<void>;
  /** The `protocol-error` for which the wire gave up, if it did. */
  readonly fault: LongshoreError | undefined;
  /** Noise on stdout, and lines that were too long. */
  diagnostics(): readonly Diagnostic[];
}

/** What a stdio wire is made of; it neither starts nor ends the process. */
export interface StdioWireOptions {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process at the other end is gone; must not reject. */
  readonly exited: Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes secrets out of what is told about noise. */
  readonly hide?: (text: string) => string;
  /** The longest line that is read, in bytes (default 64 MiB). */
  readonly maxLineBytes?: number;
}

const defaultMaxLineBytes = 64 * 1024 * 1024;
/** How many frames may wait before anybody listens. */
const maxUnheard = 10_000;

/**
 * Newline-delimited JSON-RPC over a process's stdin and stdout. It closes when the process is gone, even if a
 * grandchild still holds the pipe; when it can no longer be written to or read from; or on `close`,
 * which only ends stdin. Noise is skipped. A line over the limit fails the one call that it answers
 * (JSON-RPC error `resultTooLarge`), not the connection. Whatever a consumer throws on a frame ends this wire alone (S2).
 */
export function createStdioWire(options: StdioWireOptions): StdioWire {
  const { stdin, stdout, clock, log } = options;
  const maxBytes = options.maxLineBytes ?? defaultMaxLineBytes;
  const noise = createStdoutNoise(options.hide ?? (text => text));
  const oddities = createFrameOddities();
  const requests = createOpenRequests();
  const takers = new Set<(frame: Frame) => boolean>();
  const closed = Promise.withResolvers<void>();
  let consumer: Wire['onmessage'];
  let state: 'open' | 'ending' | 'closed' = 'open';
  let oversized = 0;
  let unheard = 0;
  let gathering = false;
  let fault: LongshoreError | undefined;

  const guarded = frameGuard(error => {
    fault ??= error;
    report(error);
    finish();
  });
  const queue = createFrameQueue(() => (consumer === undefined ? undefined : deliver));
  const reader = createLineReader({ maxBytes, onLine, onOversized });

  function deliver(frame: Frame): void {
    if (state !== 'closed') guarded(() => consumer?.(frame));
  }

  function report(error: LongshoreError): void {
    log.debug({ code: error.code }, error.message);
    wire.onerror?.(error);
  }

  function accept(frame: Frame): void {
    if (isResponse(frame)) requests.answered(frame);
    for (const take of takers) if (take(frame)) return;
    if (consumer === undefined && ++unheard > maxUnheard) {
      throw new LongshoreError(
        'protocol-error',
        `The server sent ${maxUnheard} messages before it was asked anything.`,
      );
    }
    queue.push(frame);
  }

  function onLine(line: Buffer): void {
    if (state === 'closed') return;
    const text = line.toString('utf8');
    const reading = readFrames(text, requests.isOpen);
    if (reading === undefined) {
      if (text.trim() !== '') log.debug({ stdout: noise.add(line) }, 'skipped a line on stdout');
      return;
    }
    if (reading.oddity !== undefined) oddities.note(reading.oddity);
    for (const frame of reading.frames) guarded(() => accept(frame));
  }

  function onOversized(line: OversizedLine): void {
    if (state === 'closed') return;
    oversized++;
    const message = `The server sent a message of ${line.bytes} bytes, over the limit of ${maxBytes}.`;
    const id = answeredId(line);
    if (id !== undefined) {
      const data = { bytes: line.bytes, limit: maxBytes };
      const frame = asFrame({ jsonrpc: '2.0', id, error: { code: resultTooLarge, message, data } });
      if (frame !== undefined) guarded(() => accept(frame));
    }
    report(new LongshoreError('result-too-large', `${message} It was skipped.`));
  }

  function finish(): void {
    if (state === 'closed') return;
    state = 'ending';
    reader.end();
    queue.whenDone(shut);
  }

  function shut(): void {
    if (state === 'closed') return;
    state = 'closed';
    takers.clear();
    stdin.end();
    closed.resolve();
    wire.onclose?.();
  }

  /** Makes one system call of all that is sent in one turn: three times the calls a second. */
  function gather(): void {
    if (gathering) return;
    gathering = true;
    stdin.cork();
    process.nextTick(() => {
      gathering = false;
      stdin.uncork();
    });
  }

  function lose(): void {
    if (state !== 'open') return;
    state = 'ending';
    void drained(stdout, clock).then(finish); // it could only fail with the clock
  }

  stdout.on('data', (chunk: Buffer) => {
    // After `close` the pipe is still read, so that a server which is printing can come to its end.
    if (state !== 'closed') reader.push(chunk);
  });
  stdout.once('end', finish);
  stdout.once('close', lose);
  stdout.on('error', lose);
  // EPIPE: the server closed its stdin or is gone. `send` tells whoever was writing.
  stdin.on('error', lose);
  void options.exited.then(lose);

  const wire: StdioWire = {
    get onmessage() {
      return consumer;
    },
    set onmessage(next) {
      consumer = next;
      unheard = 0;
      if (next !== undefined) queue.wake();
    },
    closed: closed.promise,
    start() {
      return state === 'closed' ? Promise.reject(lost(false)) : Promise.resolve();
    },
    async send(frame) {
      if (state !== 'open') throw lost(false);
      const line = `${JSON.stringify(frame)}\n`;
      requests.sent(frame);
      gather();
      await new Promise<void>((resolve, reject) => {
        stdin.write(line, error => (error ? reject(lost(true, error)) : resolve()));
      });
    },
    close() {
      shut();
      return Promise.resolve();
    },
    intercept(take) {
      takers.add(take);
      return () => takers.delete(take);
    },
    explain(error) {
      return error instanceof LongshoreError ? error : (fault ?? lost(true, error));
    },
    oddities: oddities.diagnostics,
    get fault() {
      return fault;
    },
    diagnostics() {
      const long = {
        code: 'line-too-long',
        message: `The server sent ${oversized} messages over the limit of ${maxBytes} bytes; they were skipped.`,
        data: { count: oversized },
      };
      return oversized === 0 ? noise.diagnostics() : [...noise.diagnostics(), long];
    },
  };
  return wire;
}

function lost(mayHaveRun: boolean, cause?: unknown): LongshoreError {
  return new LongshoreError(
    'connection-lost',
    mayHaveRun ? 'The connection to the server was lost.' : 'The connection to the server is closed; nothing was sent.',
    { cause, data: { mayHaveRun } },
  );
}

import { createParser } from 'eventsource-parser';
import { isJsonObject } from '../../core/json.ts';
import type { Diagnostic } from '../../core/words.ts';
import { asFrame } from './as-frame.ts';
import { createFrameOddities } from './frame-oddities.ts';
import { isResponse, unreadableAnswer } from './frames.ts';
import { readFrames } from './read-frames.ts';
import type { Frame } from './wire.ts';

/**
 * Stands between the bytes of HTTP answers and the SDK's transports, which parse what comes with `JSON.parse` and a schema:
 * they get a stub for each message, and the message itself goes round them as `readFrames` read it.
 */
export interface FrameStubs {
  /** The stubs of a JSON body. Throws a SyntaxError, which does not quote it, where it holds no message. */
  body(text: string): unknown;
  /** For one event stream: turns its chunks into those of the same stream with stubs in it; undefined for nothing yet. */
  events(): (chunk: Uint8Array) => Uint8Array<ArrayBuffer> | undefined;
  /**
   * The message that a stub stands for, once; what is none of ours is read as a message itself. An error without an id
   * says that the request could not be read: the one in whose answer it came.
   */
  taken(stub: Frame): Frame | undefined;
  oddities(): readonly Diagnostic[];
}

const key = 'longshore/frame';
/** More stubs than that on their way at once mean that nobody takes them any more. */
const mostKept = 100_000;

/** For one wire. `asked`: the request in whose answer is being read, if any. */
export function createFrameStubs(asked: () => number | string | undefined): FrameStubs {
  const kept = new Map<number, Frame>();
  const oddities = createFrameOddities();
  let count = 0;

  function stub(frame: Frame): object {
    const token = ++count;
    kept.set(token, frame);
    if (kept.size > mostKept) kept.delete(token - mostKept);
    if (!isResponse(frame)) return { jsonrpc: '2.0', method: key, params: { token } };
    const id = 'id' in frame && frame.id !== undefined ? frame.id : 0;
    return { jsonrpc: '2.0', id, result: { [key]: token } };
  }

  function read(text: string): readonly Frame[] | undefined {
    const reading = readFrames(text, () => true);
    if (reading === undefined || reading.oddity !== undefined) oddities.note(reading?.oddity ?? 'unreadable');
    return reading?.frames;
  }

  return {
    body(text) {
      const frames = read(text);
      if (frames === undefined) throw new SyntaxError('The answer is not JSON-RPC.');
      const id = asked();
      const isAnswered = id === undefined || frames.some(frame => isResponse(frame) && mayAnswer(frame, id));
      return (isAnswered ? frames : [...frames, unanswered(id)]).map(stub);
    },
    events() {
      const decoder = new TextDecoder();
      const encoder = new TextEncoder();
      let out = '';
      const parser = createParser({
        onEvent({ id, event, data }) {
          const head = event === undefined ? '' : `event: ${event}\n`;
          const place = id === undefined ? '' : `id: ${id}\n`;
          const isMessage = (event === undefined || event === 'message') && data !== '';
          const lines = isMessage ? (read(data) ?? []).map(frame => JSON.stringify(stub(frame))) : [data];
          // The place in the stream is kept, whatever stands there.
          if (lines.length === 0 && id !== undefined) lines.push('');
          for (const line of lines) out += `${place}${head}data: ${line.replaceAll('\n', '\ndata: ')}\n\n`;
        },
        onRetry(milliseconds) {
          out += `retry: ${milliseconds}\n\n`;
        },
      });
      return chunk => {
        parser.feed(decoder.decode(chunk, { stream: true }));
        if (out === '') return undefined;
        const bytes = encoder.encode(out);
        out = '';
        return bytes;
      };
    },
    taken(stubFrame) {
      const { params, result } = stubFrame as { readonly params?: unknown; readonly result?: unknown };
      const token = isJsonObject(params) && 'token' in params ? params['token'] : isJsonObject(result) && result[key];
      const frame = typeof token === 'number' ? kept.get(token) : undefined;
      if (frame === undefined) return asFrame(stubFrame);
      kept.delete(token as number);
      const id = asked();
      const isOurs = isResponse(frame) && !('id' in frame && frame.id !== undefined) && id !== undefined;
      return isOurs ? ({ ...frame, id } as Frame) : frame;
    },
    oddities: () => oddities.diagnostics(),
  };
}

function mayAnswer(frame: Frame, id: number | string): boolean {
  return !('id' in frame) || frame.id === undefined || frame.id === id;
}

function unanswered(id: number | string): Frame {
  const message = 'The body holds no answer to the request that it was sent for.';
  return { jsonrpc: '2.0', id, error: { code: unreadableAnswer, message } };
}

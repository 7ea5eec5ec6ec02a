import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { isResponse } from './frames.ts';
import type { StdioWire } from './stdio-wire.ts';
import type { Frame } from './wire.ts';

/** What the server said to one of our own questions. */
export type Answer =
  | { readonly result: JsonObject; readonly error?: undefined }
  | {
      readonly result?: undefined;
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** Questions of our own on a wire that somebody else will use later. */
export interface Asking {
  ask(method: string, params: JsonObject, onAnswer: (answer: Answer) => void): void;
  /** Listens no more; answers still to come are swallowed as they arrive. */
  swallowRest(): void;
  /** Takes no further part in the wire. */
  stop(): void;
}

// Far from the ids that the SDK counts up from 0, and still an int32 for servers that read ids as numbers.
const firstId = 2_000_000_001;

/** `fail` is called once if the wire closes or cannot be written to; `data.answered` says if anything was answered before. */
export function askOn(wire: StdioWire, fail: (error: LongshoreError) => void): Asking {
  const open = new Map<number, (answer: Answer) => void>();
  let nextId = firstId;
  let answered = false;
  let live = true;

  const lose = (cause?: unknown): void => {
    const message = 'The server closed its connection while the protocol version was negotiated.';
    if (live) fail(wire.fault ?? new LongshoreError('connection-lost', message, { cause, data: { answered } }));
    stop();
  };

  const take = (frame: Frame): boolean => {
    if (!isResponse(frame)) return false;
    const { id, ...body } = frame as { readonly id?: unknown } & AnswerBody;
    // An error without an id is what some servers answer to a request that they cannot read: to the oldest one then.
    const key = live && body.error !== undefined && (id === null || id === undefined) ? firstOf(open.keys()) : id;
    const onAnswer = open.get(key as number);
    if (onAnswer === undefined) return false;
    open.delete(key as number);
    answered = true;
    if (live) onAnswer(toAnswer(body));
    else if (open.size === 0) unhook();
    return true;
  };

  const unhook = wire.intercept(take);
  void wire.closed.then(() => lose());

  function stop(): void {
    live = false;
    open.clear();
    unhook();
  }

  return {
    ask(method, params, onAnswer) {
      const id = nextId++;
      open.set(id, onAnswer);
      wire
        .send({ jsonrpc: '2.0', id, method, params } as Frame)
        .catch((error: unknown) => lose(asLongshoreError(error)));
    },
    swallowRest() {
      live = false;
      if (open.size === 0) unhook();
    },
    stop,
  };
}

/** What the wire has of an answer: a result of whatever kind, or an error of the protocol's form. */
interface AnswerBody {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

function toAnswer({ result, error }: AnswerBody): Answer {
  if (error === undefined) return { result: isJsonObject(result) ? result : {} };
  const { code, message, data } = error;
  return { error: { code, message: message === '' ? `error ${code}` : message, data } };
}

function firstOf<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}

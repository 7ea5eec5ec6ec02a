import { setTimeout as after } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import type { Deadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { CallClient } from '../core/ports/call-client.ts';
import type { Era, Operation, RawResult } from '../core/words.ts';
import type { Origin } from '../runners/transport/pushed-questions.ts';
import type { Tap } from '../runners/transport/tap.ts';
import { type CallDeadline, callDeadline, type Expiry } from './call-deadline.ts';
import type { CallOptions } from './connection.ts';
import { failureOf } from './failures.ts';
import type { Questions } from './questions.ts';
import { type Outcome, sendRequest } from './request.ts';
import type { RunningCall } from './running-call.ts';

/** What calls run on. */
export interface CallDeps {
  readonly client: Client;
  readonly tap: Tap;
  readonly era: Era;
  readonly deadlines: Pick<Deadlines, 'callIdle' | 'callTotal'>;
  readonly questions: Questions;
  /** How the server came to its end, if it did; for calls whose connection is lost. */
  lastWords(): Promise<string | undefined>;
  /** Who is behind calls that name no client. */
  readonly edge: CallClient | undefined;
}

/** Why a call was ended from our side. */
type Ended =
  | { readonly by: 'caller' }
  | { readonly by: 'connection'; readonly reason: string }
  | ({ readonly by: 'limit' } & Expiry);

interface Running extends RunningCall {
  readonly deadline: CallDeadline;
  end(how: Ended): void;
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const logLevelKey = 'io.modelcontextprotocol/logLevel';
/** A call may be asked that often for more input; after that the server is going round in circles. */
const maxRounds = 10;
/** Milliseconds before a server that only wants to be asked again is asked again. */
const shedPause = 250;

/** The calls of one connection that are under way. */
export class Calls {
  readonly #ground: CallDeps;
  readonly #running = new Set<Running>();

  constructor(ground: CallDeps) {
    this.#ground = ground;
  }

  /**
   * Sends an operation: its frame is handed to the wire in the same tick. Resolves with the result verbatim; rejects
   * with `timeout`, `cancelled`, `server-error`, `protocol-error`, `connection-lost` (never sent) or `unknown-outcome`.
   */
  async run(operation: Operation, options: CallOptions): Promise<RawResult> {
    const { deadlines } = this.#ground;
    const controller = new AbortController();
    let ended: Ended | undefined;
    const end = (how: Ended): void => {
      ended ??= how;
      controller.abort(reasonOf(how));
    };
    const idle = options.idleTimeout ?? deadlines.callIdle;
    const total = options.totalTimeout ?? deadlines.callTotal;
    using deadline = callDeadline(idle, total, expiry => end({ by: 'limit', ...expiry }));
    const over = new AbortController();
    const client = options.client ?? this.#ground.edge;
    const running: Running = { client, deadline, over: over.signal, pause: () => deadline.pause(), end };
    const cancel = (): void => end({ by: 'caller' });
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    this.#running.add(running);
    try {
      return await this.#rounds(operation, options, running, controller.signal);
    } catch (error) {
      throw ended === undefined ? error : endedError(ended, error);
    } finally {
      this.#running.delete(running);
      over.abort('The call is over.');
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  /** Ends every call: the server is told, the callers learn that the outcome is unknown. */
  endAll(reason: string): void {
    for (const running of this.#running) running.end({ by: 'connection', reason });
  }

  /** The calls that a message of the server may belong to, oldest first: most of what a server says names no call. */
  behind(origin: Origin | undefined): readonly RunningCall[] {
    const running = [...this.#running];
    return origin === undefined ? running : running.filter(call => call === origin.sender);
  }

  async #rounds(operation: Operation, options: CallOptions, running: Running, signal: AbortSignal): Promise<RawResult> {
    const { client, tap, era } = this.#ground;
    const { method } = operation;
    const first = paramsOf(operation, era === 'modern' ? envelopeOf(running.client) : {});
    let params = first;
    for (let round = 1; ; round++) {
      const outcome = await sendRequest(client, tap, {
        method,
        params,
        signal,
        sender: running,
        onProgress(progress) {
          running.deadline.progress();
          options.onprogress?.(progress);
        },
        ...(method === 'tools/call' && { definition: operation.definition }),
      });
      if (outcome.kind === 'none') throw await this.#unanswered(outcome, signal);
      if (outcome.kind !== 'result') throw failureOf(outcome, method);
      const { result } = outcome;
      if (era === 'legacy' || result.resultType === undefined || result.resultType === 'complete') return result;
      if (result.resultType !== 'input_required' || round > maxRounds) throw unusable(result, round);
      params = { ...first, ...(await this.#input(result, running, signal)) };
    }
  }

  /** What a server that wants more input gets in the next round. */
  async #input(result: RawResult, { client, deadline }: Running, signal: AbortSignal): Promise<JsonObject> {
    const { inputRequests, requestState } = result;
    const state = requestState === undefined ? {} : { requestState };
    const asks = isJsonObject(inputRequests) && Object.keys(inputRequests).length > 0;
    if (!asks && requestState === undefined) {
      throw new LongshoreError('protocol-error', 'The server asks for more input, but not for what.');
    }
    const resume = deadline.pause();
    try {
      if (asks) return { inputResponses: await this.#ground.questions.round(inputRequests, client, signal), ...state };
      await after(shedPause, undefined, { signal });
      return state;
    } finally {
      resume();
    }
  }

  async #unanswered({ sent, cause }: Extract<Outcome, { kind: 'none' }>, signal: AbortSignal): Promise<LongshoreError> {
    const explained = this.#ground.tap.explain?.(cause);
    if (explained?.data?.mayHaveRun === false) return explained;
    if (explained?.code === 'result-too-large') return explained;
    // Who ended the call itself knows why.
    const said = signal.aborted ? undefined : await this.#ground.lastWords();
    const why = said ?? explained?.message ?? 'The connection to the server was lost.';
    return sent ? unknownOutcome(why, explained ?? cause) : new LongshoreError('connection-lost', why, { cause });
  }
}

function paramsOf({ method, wireName, arguments: args, completes, meta }: Operation, envelope: JsonObject): JsonObject {
  const own = Object.entries(meta ?? {}).filter(([key]) => !isReserved(key));
  const _meta = { ...Object.fromEntries(own), ...envelope };
  if (method === 'resources/read') return { uri: wireName, _meta };
  if (method === 'completion/complete') return { ...completes, _meta };
  return { name: wireName, arguments: args, _meta };
}

/** What a server of 2026 is told with each call about the client behind it; these go before what the SDK says of us. */
function envelopeOf(client: CallClient | undefined): JsonObject {
  const level = client?.logLevel === undefined ? {} : { [logLevelKey]: client.logLevel };
  return { [capabilitiesKey]: client?.capabilities ?? {}, ...level };
}

/** The protocol's own keys are the connection's: a caller must not speak in its name. */
function isReserved(key: string): boolean {
  return key === 'progressToken' || /^([a-z0-9-]+\.)*(modelcontextprotocol|mcp)(\.[a-z0-9-]+)*\//i.test(key);
}

function reasonOf(how: Ended): string {
  if (how.by === 'caller') return 'The caller cancelled the call.';
  if (how.by === 'connection') return how.reason;
  return how.limit === 'idle' ? `No progress for ${how.after} ms.` : `Not done after ${how.after} ms.`;
}

/** What a call that we ended rejects with. `error` is how its request ended, which tells whether it was sent. */
function endedError(how: Ended, error: unknown): unknown {
  if (how.by === 'caller')
    return new LongshoreError('cancelled', 'The call was cancelled by its caller.', { cause: error });
  if (how.by === 'connection') {
    const neverSent = error instanceof LongshoreError && error.code === 'connection-lost';
    return neverSent ? error : unknownOutcome(how.reason, error);
  }
  const { limit, after } = how;
  const seconds = after / 1000;
  const message =
    limit === 'idle'
      ? `The call showed no progress for ${seconds} s (its idle limit) and was cancelled.`
      : `The call was not done after ${seconds} s (its total limit) and was cancelled.`;
  return new LongshoreError('timeout', message, { cause: error, data: { limit, after } });
}

function unknownOutcome(why: string, cause: unknown): LongshoreError {
  const message = `${why} Whether the call was done is unknown; look before you repeat it.`;
  return new LongshoreError('unknown-outcome', message, { cause });
}

function unusable(result: JsonObject, round: number): LongshoreError {
  const found = JSON.stringify(result.resultType);
  const message =
    round > maxRounds
      ? `The server asked for more input ${maxRounds} times in one call.`
      : `The server answered with a result of type ${found}, which Longshore does not know.`;
  return new LongshoreError('protocol-error', message, isJsonObject(result) ? { data: { result } } : {});
}

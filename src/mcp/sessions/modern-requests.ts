import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { wellFormed } from '../../core/well-formed.ts';
import { type Message, type Prepared, RpcError, rpcCodes } from '../json-rpc.ts';
import type { McpClient } from '../mcp-client.ts';
import { type Method, metaOf, methodOf } from '../methods/methods.ts';
import { readEnvelope } from '../request-headers.ts';
import { completed } from '../results.ts';
import { type Asking, ParkedRequests } from './parked-requests.ts';
import { ResumableRequest, type Running, type Tell } from './resumable-request.ts';

type Request = Extract<Message, { kind: 'request' }>;

/** What may take more than one round (2026-07-28, "Multi round-trip requests"). */
const withRounds: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Answers the requests of 2026-07-28 clients: each stands alone, but for the rounds of one that needs more input. */
export class ModernRequests {
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #parked = new ParkedRequests();

  constructor(methods: ReadonlyMap<string, Method>) {
    this.#methods = methods;
  }

  /** Resolves with the result to send; `tell` hears what comes before it. Throws an RpcError, or the signal's reason. */
  async answer(client: McpClient, request: Request, tell: Tell, signal: AbortSignal): Promise<JsonObject | Prepared> {
    const { method: name, params } = request;
    const { capabilities } = readEnvelope(params);
    const method = methodOf(this.#methods, name, 'modern');
    const exchange = {
      client,
      era: 'modern',
      capabilities,
      meta: metaOf(params),
      identity: client.id,
      session: undefined,
    } as const;
    if (!withRounds.has(name)) {
      const running: Running = { signal, isThere: () => true, notify: tell, ask: () => Promise.reject(noRounds(name)) };
      const result = await method.run({ ...exchange, ...running }, params);
      return name === 'server/discover' ? completed(result as JsonObject) : result;
    }
    const asking: Asking = { client, method: name, params };
    const { requestState, inputResponses } = params;
    const resumable =
      requestState === undefined
        ? new ResumableRequest(async running => await method.run({ ...exchange, ...running }, params))
        : this.#resumed(requestState, inputResponses, asking);
    let round = await resumable.next(tell, signal);
    // A client may know the questions already, and send the answers along with its first request.
    if (requestState === undefined && round.kind === 'questions' && answersAll(round.questions, inputResponses)) {
      resumable.answer(inputResponses);
      round = await resumable.next(tell, signal);
    }
    if (round.kind === 'result') return round.result;
    return completed({
      resultType: 'input_required',
      inputRequests: wellFormed(round.questions as unknown as JsonObject),
      requestState: this.#parked.park(asking, resumable),
    });
  }

  /** Ends what runs for clients that are away with questions. */
  endAll(clientId?: string): void {
    this.#parked.endAll(clientId);
  }

  #resumed(state: unknown, responses: unknown, asking: Asking): ResumableRequest {
    if (typeof state !== 'string') throw new RpcError(rpcCodes.invalidParams, 'requestState must be a text.');
    if (responses !== undefined && !isJsonObject(responses)) {
      throw new RpcError(rpcCodes.invalidParams, 'inputResponses must be an object.');
    }
    const resumable = this.#parked.take(state, asking);
    resumable.answer(responses ?? {});
    return resumable;
  }
}

function answersAll(questions: object, responses: JsonObject[string]): responses is JsonObject {
  return isJsonObject(responses) && Object.keys(questions).every(key => responses[key] !== undefined);
}

function noRounds(method: string): RpcError {
  return new RpcError(rpcCodes.internal, `${method} cannot ask its client anything.`);
}

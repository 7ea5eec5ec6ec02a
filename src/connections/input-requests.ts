import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { InputMethod, InputRequests } from '../core/ports/input-requests.ts';
import type { Tap } from '../runners/wire/tap.ts';
import { untilAborted } from './until-aborted.ts';

const capabilityOf: Readonly<Record<InputMethod, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};
const methods = Object.keys(capabilityOf) as readonly InputMethod[];

/** The way of one connection's questions to whoever can answer. */
export class Questions {
  readonly #edge: InputRequests;
  readonly #from: { readonly agentId: AgentId; readonly serverKey: ServerKey };

  constructor(edge: InputRequests, from: { readonly agentId: AgentId; readonly serverKey: ServerKey }) {
    this.#edge = edge;
    this.#from = from;
  }

  /** Answers what a server of 2025 pushes; `waiting` is called when a person is asked and gives what ends the wait. */
  answerPushed(client: Client, tap: Tap, waiting: () => () => void): void {
    for (const method of methods.filter(each => this.#declared(each))) {
      client.setRequestHandler(method, async (_request, { mcpReq: { id, signal } }) => {
        const done = waiting();
        try {
          return (await this.#ask(method, tap.asked(id) ?? {}, signal)) as never;
        } catch (error) {
          // What went wrong on our side is not the server's to read.
          throw new ProtocolError(-32603, signal.aborted ? 'cancelled' : `${method} could not be answered`, error);
        } finally {
          done();
        }
      });
    }
  }

  /**
   * Answers one round of a multi-round request (2026-07-28): all questions at once, by their keys. Rejects with
   * `protocol-error` where the server asks for what was not declared to it, or with what the edge threw.
   */
  async answerRound(inputRequests: JsonValue | undefined, signal: AbortSignal): Promise<JsonObject> {
    const questions = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
    const round = new AbortController();
    const answers = questions.map(async ([key, question]): Promise<[string, JsonObject]> => {
      const method = isJsonObject(question) ? methods.find(each => each === question.method) : undefined;
      if (method === undefined || !this.#declared(method)) {
        const asked = isJsonObject(question) ? JSON.stringify(question.method) : 'something unreadable';
        throw new LongshoreError('protocol-error', `The server asks for ${asked}, which was not offered to it.`);
      }
      const params = isJsonObject(question) && isJsonObject(question.params) ? question.params : {};
      return [key, await this.#ask(method, params, AbortSignal.any([signal, round.signal]))];
    });
    try {
      return Object.fromEntries(await Promise.all(answers));
    } finally {
      round.abort();
    }
  }

  #declared(method: InputMethod): boolean {
    return isJsonObject(this.#edge.capabilities[capabilityOf[method]]);
  }

  async #ask(method: InputMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const result = await untilAborted(this.#edge.answer({ ...this.#from, method, params }, signal), signal);
    return method === 'elicitation/create' && this.#fillsDefaults() ? withDefaults(result, params) : result;
  }

  #fillsDefaults(): boolean {
    const { elicitation } = this.#edge.capabilities;
    return isJsonObject(elicitation) && isJsonObject(elicitation.form) && elicitation.form.applyDefaults === true;
  }
}

/** What was accepted, and the form's own defaults where a field was left out. */
function withDefaults(result: JsonObject, { requestedSchema }: JsonObject): JsonObject {
  const properties = isJsonObject(requestedSchema) ? requestedSchema.properties : undefined;
  if (result.action !== 'accept' || !isJsonObject(properties)) return result;
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isJsonObject(field) && field.default !== undefined ? [[name, field.default] as const] : [],
  );
  const content = isJsonObject(result.content) ? result.content : {};
  return { ...result, content: { ...Object.fromEntries(defaults), ...content } };
}

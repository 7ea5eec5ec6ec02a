import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { type CallClient, covers, type ServerQuestion } from '../core/ports/call-client.ts';
import { untilAborted } from '../lib/until-aborted.ts';
import type { Origin, QuestionAnswer } from '../runners/transport/pushed-questions.ts';
import { attended, clientBehind, type RunningCall } from './running-call.ts';

/** A client that leaves a question unanswered is asked again; after that many times it will not answer at all. */
const mostAsked = 10;

/** What the questions of one connection stand on. */
export interface QuestionsDeps {
  /** The client capabilities that were declared at `initialize`. */
  readonly declares: JsonObject;
  /** Who answers for calls that name no client, and what is asked while no call runs. */
  readonly edge: CallClient | undefined;
  /** The calls that a message of that origin may belong to. */
  callsBehind(origin: Origin | undefined): readonly RunningCall[];
}

/** The way of one connection's questions to the clients behind its calls (reference protocol 3.2). */
export class Questions {
  readonly #ground: QuestionsDeps;
  #count = 0;

  constructor(ground: QuestionsDeps) {
    this.#ground = ground;
  }

  /** Answers what a server of 2025 pushes; `undefined` for what was not declared to it. */
  pushed(
    question: ServerQuestion,
    origin: Origin | undefined,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> | undefined {
    return covers(this.#ground.declares, question) ? this.#answer(question, origin, signal) : undefined;
  }

  /**
   * Puts one round of a multi-round request (2026-07-28) to the client behind the call and gives its answers as they
   * are. Rejects with `protocol-error` where the server asks for what that client did not declare, or as `ask` does.
   */
  async round(inputRequests: JsonObject, client: CallClient | undefined, signal: AbortSignal): Promise<JsonObject> {
    const questions = Object.entries(inputRequests).map(([key, question]): [string, ServerQuestion] => {
      const asked = questionOf(question);
      if (client !== undefined && asked !== undefined && covers(client.capabilities, asked)) return [key, asked];
      const what = asked === undefined ? 'something unreadable' : JSON.stringify(asked.method);
      throw new LongshoreError('protocol-error', `The server asks for ${what}, which was not offered to it.`);
    });
    // Without questions or without a client there is no round.
    return client === undefined ? {} : await this.#ask(client, Object.fromEntries(questions), signal);
  }

  async #answer(question: ServerQuestion, origin: Origin | undefined, signal: AbortSignal): Promise<QuestionAnswer> {
    const calls = attended(this.#ground.callsBehind(origin));
    const client = calls.length === 0 && origin === undefined ? this.#ground.edge : clientBehind(calls);
    if (client === 'several') return severalClients;
    if (client === undefined || !covers(client.capabilities, question)) return unattended(question.method);
    const resumes = calls.map(call => call.pause());
    try {
      return calls.length === 0
        ? await this.#insist(client, question, signal)
        : await this.#askCalls(calls, question, signal);
    } catch (error) {
      const own = error instanceof LongshoreError ? error.data?.['clientError'] : undefined;
      if (isJsonObject(own)) return { error: own };
      // What went wrong on our side is not the server's to read.
      return { error: { code: -32603, message: `${question.method} could not be answered` } };
    } finally {
      for (const resume of resumes) resume();
    }
  }

  /** Through the call that has run longest; where that ends without an answer, through the next one of the same client. */
  async #askCalls(
    calls: readonly RunningCall[],
    question: ServerQuestion,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> {
    for (const { client, over } of calls) {
      if (over.aborted || client === undefined) continue;
      try {
        return await this.#insist(client, question, AbortSignal.any([signal, over]));
      } catch (error) {
        if (signal.aborted || !over.aborted) throw error;
      }
    }
    return { error: { code: -32603, message: 'The call is over, so nobody can be asked about it any more.' } };
  }

  async #insist(client: CallClient, question: ServerQuestion, signal: AbortSignal): Promise<QuestionAnswer> {
    const key = `question-${++this.#count}`;
    for (let asked = 0; asked < mostAsked; asked++) {
      const { [key]: result } = await this.#ask(client, { [key]: question }, signal);
      if (isJsonObject(result)) return { result };
    }
    return { error: { code: -32603, message: `The client did not answer ${question.method}.` } };
  }

  async #ask(
    client: CallClient,
    questions: Readonly<Record<string, ServerQuestion>>,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const answers = await untilAborted(client.ask(questions, signal), signal);
    return client === this.#ground.edge && fillsDefaults(client) ? withDefaults(answers, questions) : answers;
  }
}

const severalClients: QuestionAnswer = {
  error: {
    code: -32603,
    message: 'Several clients call this server at once and the question does not say which of them it is for.',
  },
};

/** What a server gets where nobody is there to answer. */
function unattended(method: string): QuestionAnswer {
  if (method === 'elicitation/create') return { result: { action: 'decline' } };
  if (method === 'roots/list') return { result: { roots: [] } };
  return { error: { code: -32603, message: `Nobody is there who could answer ${method}.` } };
}

function questionOf(question: unknown): ServerQuestion | undefined {
  if (!isJsonObject(question) || typeof question.method !== 'string') return undefined;
  const { method, params } = question;
  return { ...question, method, params: isJsonObject(params) ? params : {} };
}

/** A program's own edge may leave the defaults of forms to us, as the SDK's clients do; other clients fill in their own. */
function fillsDefaults({ capabilities: { elicitation } }: CallClient): boolean {
  return isJsonObject(elicitation) && isJsonObject(elicitation.form) && elicitation.form.applyDefaults === true;
}

function withDefaults(answers: JsonObject, questions: Readonly<Record<string, ServerQuestion>>): JsonObject {
  const filled = Object.entries(questions).flatMap(([key, { method, params }]) => {
    const answer = answers[key];
    return method === 'elicitation/create' && isJsonObject(answer) ? [[key, formFilled(answer, params)] as const] : [];
  });
  return { ...answers, ...Object.fromEntries(filled) };
}

/** What was accepted, and the form's own defaults where a field was left out. */
function formFilled(result: JsonObject, { requestedSchema }: JsonObject): JsonObject {
  const properties = isJsonObject(requestedSchema) ? requestedSchema.properties : undefined;
  if (result.action !== 'accept' || !isJsonObject(properties)) return result;
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isJsonObject(field) && field.default !== undefined ? [[name, field.default] as const] : [],
  );
  const content = isJsonObject(result.content) ? result.content : {};
  return { ...result, content: { ...Object.fromEntries(defaults), ...content } };
}

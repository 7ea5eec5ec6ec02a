import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { ServerQuestion } from '../../core/ports/call-client.ts';
import type { Frame } from './wire.ts';

/** What a message of the server belongs to, where that is known. */
export interface Origin {
  /** Who sent the request on whose stream it came; nobody if that request is over or nobody follows it. */
  readonly sender: object | undefined;
}

/** What a server that asked gets, verbatim. */
export type QuestionAnswer = { readonly result: JsonObject } | { readonly error: JsonObject };

/**
 * Answers what a server of 2025 asks; `undefined` leaves the question to the SDK, which knows no such method. The signal
 * fires when the server takes its question back or the wire is closed; the answer is then nobody's.
 */
export type AnswerQuestion = (
  question: ServerQuestion,
  origin: Origin | undefined,
  signal: AbortSignal,
) => Promise<QuestionAnswer> | undefined;

/** The requests of a server that are not answered yet; the SDK never sees them, for it would change what they hold. */
export class PushedQuestions {
  readonly #answer: AnswerQuestion;
  readonly #send: (frame: Frame) => Promise<void>;
  readonly #open = new Map<unknown, AbortController>();

  constructor(answer: AnswerQuestion, send: (frame: Frame) => Promise<void>) {
    this.#answer = answer;
    this.#send = send;
  }

  /** Takes a question if it is one that we answer. */
  take(id: string | number, method: string, params: unknown, origin: Origin | undefined): boolean {
    const controller = new AbortController();
    const question = { method, params: isJsonObject(params) ? params : {} };
    const answering = this.#answer(question, origin, controller.signal);
    if (answering === undefined) return false;
    this.#open.set(id, controller);
    // Never rejects, see below.
    void this.#reply(id, controller, answering);
    return true;
  }

  /** The server does not want to know any more. */
  withdraw(id: unknown): void {
    this.#open.get(id)?.abort('The server has taken its question back.');
    this.#open.delete(id);
  }

  withdrawAll(): void {
    for (const controller of this.#open.values()) controller.abort('The connection to the server is closed.');
    this.#open.clear();
  }

  async #reply(id: string | number, { signal }: AbortController, answering: Promise<QuestionAnswer>): Promise<void> {
    // What went wrong on our side is not the server's to read.
    const answer = await answering.catch(() => ({ error: { code: -32603, message: 'It could not be answered.' } }));
    if (signal.aborted) return;
    this.#open.delete(id);
    // A wire that cannot take it any more says so to whoever is told of its end.
    await this.#send({ jsonrpc: '2.0', id, ...answer } as unknown as Frame).catch(() => {});
  }
}

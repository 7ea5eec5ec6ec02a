import type { JsonObject } from '../../core/json.ts';
import type { ServerQuestion } from '../../core/ports/call-client.ts';
import type { Prepared } from '../json-rpc.ts';

/** What a client of 2026-07-28 is answered: the result, or what it has to say first. */
export type Round =
  | { readonly kind: 'result'; readonly result: JsonObject | Prepared }
  | { readonly kind: 'questions'; readonly questions: Readonly<Record<string, ServerQuestion>> };

/** Where a round's notifications go. */
export type Tell = (method: string, params: JsonObject) => void;

/** What runs, as far as it can ask and tell. */
export interface Running {
  readonly signal: AbortSignal;
  isThere(): boolean;
  notify(method: string, params: JsonObject): void;
  ask(questions: Readonly<Record<string, ServerQuestion>>, signal: AbortSignal): Promise<JsonObject>;
}

interface Asked {
  readonly questions: Readonly<Record<string, ServerQuestion>>;
  readonly answers: PromiseWithResolvers<JsonObject>;
}

/**
 * One request of 2026-07-28 that may take several rounds: what runs for it goes on while the client is away with the
 * questions, and its next round comes back to it. Between rounds there is nobody to tell anything.
 */
export class ResumableRequest {
  readonly #controller = new AbortController();
  readonly #outcome: Promise<JsonObject | Prepared>;
  readonly #queue: Asked[] = [];
  #tell: Tell | undefined;
  #asked = Promise.withResolvers<void>();

  constructor(run: (running: Running) => Promise<JsonObject | Prepared>) {
    const running: Running = {
      signal: this.#controller.signal,
      isThere: () => this.#tell !== undefined,
      notify: (method, params) => this.#tell?.(method, params),
      ask: (questions, signal) => this.#ask(questions, signal),
    };
    this.#outcome = run(running);
    this.#outcome.catch(() => {}); // every round races it and rejects with it
  }

  /** Runs until there is a result or a question. Rejects as what runs does; the signal ends all of it. */
  async next(tell: Tell, signal: AbortSignal): Promise<Round> {
    const end = (): void => this.abort();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    this.#tell = tell;
    try {
      for (;;) {
        const [first] = this.#queue;
        if (first !== undefined) return { kind: 'questions', questions: first.questions };
        const result = await Promise.race([this.#outcome, this.#asked.promise]);
        if (result !== undefined) return { kind: 'result', result };
      }
    } finally {
      this.#tell = undefined;
      signal.removeEventListener('abort', end);
    }
  }

  /** The client's answers to the questions it went away with. */
  answer(responses: JsonObject): void {
    this.#queue.shift()?.answers.resolve(responses);
  }

  abort(): void {
    this.#controller.abort();
  }

  async #ask(questions: Readonly<Record<string, ServerQuestion>>, signal: AbortSignal): Promise<JsonObject> {
    signal.throwIfAborted();
    const asked: Asked = { questions, answers: Promise.withResolvers() };
    const leave = (): void => {
      const at = this.#queue.indexOf(asked);
      if (at >= 0) this.#queue.splice(at, 1);
      asked.answers.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#queue.push(asked);
    const wake = this.#asked;
    this.#asked = Promise.withResolvers();
    wake.resolve();
    try {
      return await asked.answers.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}

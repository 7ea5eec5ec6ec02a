import type { JsonObject } from '../core/json.ts';
import type { Era } from '../core/words.ts';
import { Emitter } from '../lib/emitter.ts';
import type { Notice } from './connection.ts';
import { clientBehind, type RunningCall } from './running-call.ts';

/** What a server may say to clients unasked. */
const told: ReadonlySet<string> = new Set<Notice['method']>([
  'notifications/message',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
]);

/** Tells what a server says: log messages to the client of the call that they belong to, and everything to listeners. */
export class Notices {
  readonly #emitter = new Emitter<[Notice]>();

  /** Returns the way to stop listening. */
  on(listener: (notice: Notice) => void): () => void {
    return this.#emitter.on(listener);
  }

  /** `calls`: those that the message may belong to. */
  tell(method: string, params: JsonObject, calls: readonly RunningCall[], era: Era): void {
    if (!isTold(method)) return;
    const toCall = method === 'notifications/message' && toldToCall(params, calls, era);
    this.#emitter.emit({ method, params, toCall });
  }
}

function isTold(method: string): method is Notice['method'] {
  return told.has(method);
}

/** Once, however many calls of that client run: through the one that has run longest. */
function toldToCall(params: JsonObject, calls: readonly RunningCall[], era: Era): boolean {
  // A server of 2026 only logs for requests that asked for it.
  const logged = era === 'modern' ? calls.filter(({ client }) => client?.logLevel !== undefined) : calls;
  const client = clientBehind(logged);
  if (client === 'several' || client?.onlog === undefined) return false;
  client.onlog(params);
  return true;
}

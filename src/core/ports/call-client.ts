import { isJsonObject, type JsonObject } from '../json.ts';
import type { Era } from '../words.ts';

/** One question of a server to the client behind a call: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface ServerQuestion {
  readonly method: string;
  /** Verbatim. */
  readonly params: JsonObject;
}

/**
 * The client behind one call, as far as a server can ask and tell it something while the call runs (R43, reference
 * protocol 3.2). An edge without one (the command line, REST, the library) leaves it out.
 */
export interface CallClient {
  /** Calls of one client have one identity: a question of a 2025 server names no call, and is put to who is alone there. */
  readonly identity: string;
  /** Which era this client itself speaks; absent where it is no MCP client. */
  readonly era?: Era;
  /** Client capabilities, verbatim as this client declared them; a 2026 server gets them with the call. */
  readonly capabilities: JsonObject;
  /**
   * Puts the questions of one round to the client and gives its answers by the same keys, verbatim; a key may be
   * missing, and others may be there. Rejects with the signal's reason, with `cancelled` if the client went
   * away, or with an error whose `data.clientError` is the client's own JSON-RPC error, which a 2025 server is passed.
   */
  ask(questions: Readonly<Record<string, ServerQuestion>>, signal: AbortSignal): Promise<JsonObject>;
  /** False while it is away with a question: what a 2025 server asks meanwhile is for another call. True if not said. */
  isThere?(): boolean;
  /** The lowest level of log messages that it wants of this call; none if not said (2026-07-28). */
  readonly logLevel?: string;
  /** Hears the params of a log message that belongs to this call, verbatim. Must not throw. */
  onlog?(params: JsonObject): void;
}

/** What a program that passes questions on to its callers' clients declares to 2025 servers, whoever will call. */
export const relayedCapabilities: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const capabilityOf: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** True for a client of 2025 that declared something which only servers of 2025 can ask it for in the midst of a call. */
export function asksLikeIn2025({ era, capabilities }: CallClient): boolean {
  return era === 'legacy' && Object.values(capabilityOf).some(name => isJsonObject(capabilities[name]));
}

/** True if those client capabilities cover that question; `elicitation: {}` means forms only, as it did before there was a URL mode. */
export function covers(capabilities: JsonObject, { method, params }: ServerQuestion): boolean {
  const name = Object.hasOwn(capabilityOf, method) ? capabilityOf[method] : undefined;
  const declared = name === undefined ? undefined : capabilities[name];
  if (!isJsonObject(declared)) return false;
  if (name !== 'elicitation') return true;
  if (params['mode'] === 'url') return isJsonObject(declared['url']);
  return isJsonObject(declared['form']) || declared['url'] === undefined;
}

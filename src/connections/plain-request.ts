import type { Client } from '@modelcontextprotocol/client';
import { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Tap } from '../runners/transport/tap.ts';
import { failureOf } from './failures.ts';
import { type Method, sendRequest } from './request.ts';

/** On what a request goes out, how long it may take (milliseconds), and what else ends it. */
export interface PlainRequestDeps {
  readonly client: Client;
  readonly tap: Tap;
  readonly limit: number;
  /** Fires when the connection ends. */
  readonly signal: AbortSignal;
}

/**
 * One request that is no call: nothing is decided, counted or asked about it. Resolves with the result verbatim; rejects
 * with `server-error`, `protocol-error`, `timeout` or `connection-lost`.
 */
export async function plainRequest(ground: PlainRequestDeps, method: Method, params: JsonObject): Promise<JsonObject> {
  const { client, tap, limit } = ground;
  const late = AbortSignal.timeout(limit);
  const signal = AbortSignal.any([ground.signal, late]);
  const outcome = await sendRequest(client, tap, { method, params, signal });
  if (outcome.kind === 'result') return outcome.result;
  if (outcome.kind !== 'none') throw failureOf(outcome, method);
  const { cause } = outcome;
  if (late.aborted && !ground.signal.aborted) {
    throw new LongshoreError('timeout', `The server did not answer ${method} within ${limit / 1000} s.`, { cause });
  }
  const lost = new LongshoreError('connection-lost', 'The connection to the server was lost.', { cause });
  throw tap.explain?.(cause) ?? lost;
}

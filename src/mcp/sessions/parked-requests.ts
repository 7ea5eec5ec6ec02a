import { randomBytes } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../../core/json.ts';
import { RpcError, rpcCodes } from '../json-rpc.ts';
import type { McpClient } from '../mcp-client.ts';
import type { ResumableRequest } from './resumable-request.ts';

/** The request that a round belongs to: the next one must be the same but for what answers it. */
export interface Asking {
  readonly client: McpClient;
  readonly method: string;
  readonly params: JsonObject;
}

/** What runs, and what it is the answer to. */
interface Parked {
  readonly request: ResumableRequest;
  readonly key: string;
  readonly owner: string;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds that a client may take for its next round; then what runs is ended. */
const lifetime = 10 * 60_000;
/** One client cannot keep more than that running by never coming back. */
const mostOfOneClient = 64;

/** Requests whose clients are away with questions, each behind a state that cannot be guessed and is good once. */
export class ParkedRequests {
  readonly #parked = new Map<string, Parked>();

  /** Gives the `requestState` under which the next round finds it. */
  park(asking: Asking, request: ResumableRequest): string {
    const owner = asking.client.id;
    const own = [...this.#parked].filter(([, one]) => one.owner === owner);
    const [oldest] = own;
    if (own.length >= mostOfOneClient && oldest !== undefined) this.#end(oldest[0]);
    const state = `lss_${randomBytes(24).toString('base64url')}`;
    const timer = setTimeout(() => this.#end(state), lifetime);
    timer.unref();
    this.#parked.set(state, { request, owner, key: keyOf(asking), timer });
    return state;
  }

  /** The request of that state. Throws an RpcError for one that is unknown, used, expired, or of another request or client. */
  take(state: string, asking: Asking): ResumableRequest {
    const parked = this.#parked.get(state);
    if (parked?.owner !== asking.client.id || parked.key !== keyOf(asking)) {
      throw new RpcError(
        rpcCodes.invalidParams,
        'This requestState is not known: it was used, it expired, or it belongs to another request. Make the request anew.',
      );
    }
    this.#parked.delete(state);
    clearTimeout(parked.timer);
    return parked.request;
  }

  /** Ends what runs for nobody any more: of one client, or of all. */
  endAll(owner?: string): void {
    for (const [state, parked] of this.#parked) {
      if (owner === undefined || parked.owner === owner) this.#end(state);
    }
  }

  #end(state: string): void {
    const parked = this.#parked.get(state);
    this.#parked.delete(state);
    clearTimeout(parked?.timer);
    parked?.request.abort();
  }
}

function keyOf({ client, method, params }: Asking): string {
  const { name, uri, arguments: args } = params;
  return canonicalJson([client.server ?? null, method, name ?? uri ?? null, args ?? null]);
}

import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { legacyVersions } from '../../core/protocol-versions.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { type Message, type Prepared, RpcError, rpcCodes } from '../json-rpc.ts';
import type { McpClient } from '../mcp-client.ts';
import { initializeResult } from '../methods/greeting.ts';
import { instructionsFor, type Method, metaOf, methodOf } from '../methods/methods.ts';
import type { Hello, Leaving, LegacySession, Outlet } from './legacy-session.ts';

type Request = Extract<Message, { kind: 'request' }>;

/** Answers the requests of 2025 clients, within their sessions. */
export class LegacyRequests {
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #ground: EndpointContext;

  constructor(ground: EndpointContext, methods: ReadonlyMap<string, Method>) {
    this.#ground = ground;
    this.#methods = methods;
  }

  /** What `initialize` is answered, and what the session remembers of it. Throws an RpcError. */
  greet(client: McpClient, params: JsonObject): { readonly hello: Hello; readonly result: JsonObject } {
    if (typeof params.protocolVersion !== 'string') {
      throw new RpcError(rpcCodes.invalidParams, 'protocolVersion must name a revision of MCP.');
    }
    const result = initializeResult(params, instructionsFor(this.#ground, client));
    const capabilities = isJsonObject(params.capabilities) ? params.capabilities : {};
    return { hello: { protocolVersion: result.protocolVersion, capabilities }, result };
  }

  /** Resolves with the result to send, or undefined for a request that was cancelled. Throws an RpcError. */
  async answer(
    session: LegacySession,
    { id, method: name, params }: Request,
    outlet: Outlet,
    leaving: Leaving,
  ): Promise<JsonObject | Prepared | undefined> {
    const method = methodOf(this.#methods, name, 'legacy');
    return await session.run({ id, meta: metaOf(params), outlet, leaving }, async exchange =>
      method.run(exchange, params),
    );
  }

  /** Takes what needs no answer. */
  take(session: LegacySession, message: Exclude<Message, Request>): void {
    session.touch();
    if (message.kind === 'answer') session.answer(message);
    else if (message.method === 'notifications/cancelled') {
      const { requestId } = message.params;
      if (typeof requestId === 'string' || typeof requestId === 'number') session.cancel(requestId);
    }
  }
}

/** True for a revision that a session can have. */
export function isLegacyVersion(version: string): boolean {
  return legacyVersions.some(one => one === version);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from './principal.ts';

/** What a request carries on its way through Cortex. */
export interface CortexEnv {
  Variables: {
    /** Set for every request that needs a token. */
    principal: Principal;
  };
  /** Node's own objects; absent where the app is asked without a server, as tests do. */
  Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse };
}

export type CortexApp = OpenAPIHono<CortexEnv>;
export type CortexContext = Context<CortexEnv>;
export type CortexMiddleware = MiddlewareHandler<CortexEnv>;

/** The address that a request came from. */
export function remoteAddress(context: CortexContext): string {
  // Where there is no server there are no bindings at all.
  const bindings = context.env as CortexEnv['Bindings'] | undefined;
  return bindings?.incoming?.socket.remoteAddress ?? 'unknown';
}

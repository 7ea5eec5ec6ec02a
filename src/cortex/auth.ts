import { LongshoreError } from '../core/errors.ts';
import { sameToken } from '../lib/same-token.ts';
import type { Callers } from '../store/callers.ts';
import { type CortexMiddleware, remoteAddress } from './cortex-env.ts';
import type { Principal } from './principal.ts';
import type { SignIns } from './sign-ins.ts';

/** Where tokens are looked up. */
export interface AuthDeps {
  readonly operatorToken: string;
  readonly callers: Pick<Callers, 'find'>;
  readonly signIns: SignIns;
}

/** Who a token belongs to; undefined if nobody. */
export async function identify(token: string, needs: AuthDeps): Promise<Principal | undefined> {
  if (sameToken(token, needs.operatorToken)) return { kind: 'operator', channel: 'token' };
  if (needs.signIns.isSession(token)) return { kind: 'operator', channel: 'page' };
  const client = await needs.callers.find(token);
  return client && { kind: 'client', client };
}

/** The token of an `Authorization: Bearer` header. Nothing else is looked at: no cookie and no query parameter. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** The refusal of a request without a token that is good for anything. */
export function notSignedIn(token: string | undefined): LongshoreError {
  return new LongshoreError(
    'not-signed-in',
    token === undefined
      ? 'This is for the operator: sign in to the page with the link of: longshore status. Programs send the token as "Authorization: Bearer …"; an MCP client belongs to /mcp, with a token from: longshore token create NAME'
      : 'This token is not known, or not any more. Open a new sign-in link, or make a new token with: longshore token create NAME',
  );
}

/** Lets only those pass who have a token, and says to the rest of the request who it is. `not-signed-in` otherwise. */
export function signedIn(needs: AuthDeps, onGuess: (address: string) => void): CortexMiddleware {
  return async (context, next) => {
    const token = bearerOf(context.req.header('authorization'));
    const principal = token === undefined ? undefined : await identify(token, needs);
    if (principal === undefined) {
      onGuess(remoteAddress(context));
      throw notSignedIn(token);
    }
    context.set('principal', principal);
    await next();
  };
}

/** Lets only the operator pass: a client's token reaches its tools at /mcp, and never a decision. `denied` otherwise. */
export function operatorOnly(): CortexMiddleware {
  return async (context, next) => {
    const principal = context.get('principal');
    if (principal.kind !== 'operator') {
      throw new LongshoreError(
        'denied',
        `The token of ${principal.client.name} is for /mcp only. This is the operator's to ask.`,
      );
    }
    await next();
  };
}

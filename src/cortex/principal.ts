import type { ClientCaller } from '../store/callers.ts';

/**
 * Who sent a request, proven by its token: the operator, with the token itself or through a page that was signed in with
 * it, or a client with a token of its own.
 */
export type Principal =
  | { readonly kind: 'operator'; readonly channel: 'token' | 'page' }
  | { readonly kind: 'client'; readonly client: ClientCaller };

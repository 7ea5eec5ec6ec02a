import { LongshoreError } from './errors.ts';
import type { Epoch } from './ids.ts';
import type { Operation } from './words.ts';

/** Makes an authorisation impossible to write down by hand; the type of a value that only `createAuthority` can produce. */
declare const authorised: unique symbol;

/**
 * Leave to send one operation once. Opaque: it has no members, so neither a cast nor a copy of it works at run time.
 */
export interface Authorisation {
  readonly [authorised]: true;
}

/** One authorisation after the other for the same use, each for a connection with that epoch; throws where it is allowed no more. */
export type Authorise = (epoch: Epoch) => Authorisation;

/** Mints authorisations; handed to the dispatcher alone. */
export type Mint = (operation: Operation) => Authorisation;

/**
 * Takes an authorisation and gives back the operation it was minted for, once; handed to the connections.
 * Throws `forged-authorisation` for anything else: a look-alike, a copy, one already used, one of another host.
 */
export type Redeem = (authorisation: Authorisation) => Operation;

/**
 * The two halves of the one door to a server. The host makes one pair and gives each half to one place,
 * so no module can both ask and allow.
 */
export function createAuthority(): { mint: Mint; redeem: Redeem } {
  const open = new WeakMap<object, Operation>();
  return {
    mint(operation) {
      const authorisation = Object.freeze({}) as Authorisation;
      open.set(authorisation, operation);
      return authorisation;
    },
    redeem(authorisation) {
      const operation =
        typeof authorisation === 'object' && authorisation !== null ? open.get(authorisation) : undefined;
      if (operation === undefined) {
        throw new LongshoreError(
          'forged-authorisation',
          'A server was asked without an authorisation of the dispatcher, or with one already used.',
        );
      }
      open.delete(authorisation);
      return operation;
    },
  };
}

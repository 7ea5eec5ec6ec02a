import { asLongshoreError, type ErrorCode, LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';

/**
 * What a command gives back: `ok` has a confirmation and no error, `error` has an error and no
 * confirmation, `partial` has both. `data` is for programs, free of secrets.
 */
export type Envelope =
  | { readonly status: 'ok'; readonly confirmation: string; readonly data?: JsonObject }
  | { readonly status: 'error'; readonly error: string; readonly code: ErrorCode; readonly data?: JsonObject }
  | {
      readonly status: 'partial';
      readonly confirmation: string;
      readonly error: string;
      readonly code: ErrorCode;
      readonly data?: JsonObject;
    };

/** Everything was done. Throws `internal` for a blank text. */
export function succeeded(confirmation: string, data?: JsonObject): Envelope {
  return checked({ status: 'ok', confirmation, ...(data && { data }) });
}

/** Nothing was done. Throws `internal` for a blank text. */
export function failed(code: ErrorCode, error: string, data?: JsonObject): Envelope {
  return checked({ status: 'error', error, code, ...(data && { data }) });
}

/** One part was done, another was not. Throws `internal` for a blank text. */
export function partly(confirmation: string, code: ErrorCode, error: string, data?: JsonObject): Envelope {
  return checked({ status: 'partial', confirmation, error, code, ...(data && { data }) });
}

/** A failure as an envelope. What went wrong inside Longshore itself is not told to whoever asked, only that it did. */
export function failedWith(failure: unknown): Envelope {
  const error = asLongshoreError(failure);
  if (error.code === 'internal') {
    return failed('internal', 'Something went wrong inside Longshore. Its log says what; nothing more was done.');
  }
  return failed(error.code, error.message, error.data);
}

/** The types forbid the wrong pairings already; callers in plain JavaScript and blank texts are caught here. */
function checked(envelope: Envelope): Envelope {
  const { confirmation, error } = { confirmation: undefined, error: undefined, ...envelope };
  const wanted = { ok: [true, false], error: [false, true], partial: [true, true] }[envelope.status];
  const found = [confirmation, error].map(text => typeof text === 'string' && text.trim() !== '');
  if (wanted[0] === found[0] && wanted[1] === found[1]) return Object.freeze(envelope);
  throw new LongshoreError('internal', `A result of status ${envelope.status} does not have the texts it must have.`);
}

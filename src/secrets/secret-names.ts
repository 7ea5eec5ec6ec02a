/** A longer name is looked at from both ends. */
const longestName = 256;

/** English words, and names of ours, that merely contain a part of `anywhere`. */
const harmless =
  /server_?key|owner_?key|keyword|keyboard|keynote|keyframe|keystroke|monkey|hockey|turkey|whiskey|donkey|jockey|author(?!i[sz])|authority|compass|bypass|trespass|surpass|passenger|passage|passive|passion/gi;

/** Parts of a name that make its value a secret, wherever in the name they stand. */
const anywhere = /pass|pwd|secret|token|auth|cred|cookie|session|bearer|signature|dsn|salt|private|key/i;

/** Words that are secrets only as a whole word of a name such as `user_ssn`. */
const asWord = /^(?:pin|ssn|sid|pat|otp|cvv|cvc|iban|jwt)$/i;

/** Query parameters that carry a credential though their names are ordinary words elsewhere: OAuth, signed URLs. */
const parameter = /^(?:code|sig|sign|access|assertion|ticket|sas)$/i;

/**
 * Whether a variable, member, header, flag or parameter of that name holds a secret: the one answer for the audit, for
 * configurations and for what servers write. Rather one too many than one too few.
 */
export function isSecretName(name: string): boolean {
  const seen = name.length <= longestName ? name : `${name.slice(0, longestName / 2)} ${name.slice(-longestName / 2)}`;
  if (anywhere.test(seen.replaceAll(harmless, ' '))) return true;
  return seen
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .some(word => asWord.test(word));
}

/** Whether a query parameter of that name holds a secret. */
export function isSecretParameter(name: string): boolean {
  return parameter.test(name) || isSecretName(name);
}

/** Parts of a name that make its value a secret, wherever in the name they stand (behaviour.md B9). */
const anywhere =
  /passw|passphrase|secret|token|authori[sz]ation|credential|cookie|bearer|signature|api[-_ ]?key|private/i;

/** Words that are secrets only as a whole word of a name such as `dbPwd` or `user_ssn`. */
const asWord = /^(?:auth|pwd|pass|pin|ssn|sid|pat|otp|cvv|cvc|iban|jwt)$/i;

/** What merely contains "key": English words, and the names of servers here. */
const harmlessKeys =
  /server_?key|owner_?key|keyword|keyboard|keynote|keyframe|keystroke|monkey|hockey|turkey|whiskey|donkey|jockey/gi;

/** Whether a member, header, flag or parameter of that name holds a secret. Rather one too many than one too few. */
export function isSecretName(name: string): boolean {
  if (anywhere.test(name) || /key/i.test(name.replaceAll(harmlessKeys, ''))) return true;
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .some(word => asWord.test(word));
}

/** What stands in the place of a secret. */
export const mask = '[masked]';

/**
 * Secrets that are known by their looks: what vendors prefix their keys with, web tokens, private keys, credentials in
 * URLs and headers, and `password=…` in any text. Each takes linear time.
 */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]{0,40}PRIVATE KEY-----|[\s\S]*)/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(?:sk|pk|rk|whsec)[-_][\w-]{12,}/g,
  /\b(?:gh[a-z]_|github_pat_|glpat-|gldt-|npm_|pypi-|hf_|dop_v1_|shp[a-z]{2}_|lsv2_|lin_api_|ntn_|xai-|gsk_|r8_)[\w-]{12,}/g,
  /\bxox[a-z]-[\w-]{8,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12,}/g,
  /\bAIza[\w-]{24,}/g,
  /\bya29\.[\w-]{16,}/g,
  /\bSG\.[\w-]{12,}\.[\w-]{12,}/g,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/g,
  /\b\d{8,12}:AA[\w-]{30,}/g,
];

/** `Bearer …`, `https://user:…@host`, `password: …`: the name stays, so that a person sees what was there. */
const named: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic|negotiate|apikey)(\s{1,4})[\w.~+/=-]{6,}/gi, `$1$2${mask}`],
  [/(:\/\/[^\s/?#:@]{0,200}:)[^\s/?#@]{1,500}@/g, `$1${mask}@`],
  [
    /((?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|authori[sz]ation|credentials?|ssn)\w{0,20}\\{0,8}["']?\s{0,4}[:=]\s{0,4})(?!\[masked\])(?:(\\{0,8})(["'])[\s\S]{0,4096}?\2\3|(?!bearer\b|basic\b|negotiate\b)[^\s"'\\,;&}\])]{1,4096})/gi,
    `$1$2$3${mask}$2$3`,
  ],
];

/** What every one of the shapes has somewhere: most texts have none of it, and are looked at once instead of often. */
const suspicious =
  /-----BEGIN |eyJ|[sprw][khe][-_]|whsec|gh[a-z]_|github_pat|gl[pd]|npm_|pypi|hf_|dop_|shp|lsv2|lin_api|ntn_|xai-|gsk_|r8_|xox|A[KSBC][IC]A|AIza|ya29|SG\.|AGE-|:AA|:\/\/|earer|asic|egotiate|pikey|passw|passphrase|pwd|secret|token|key|authori[sz]ation|credential|ssn/i;

/** The text without the secrets that are known by their looks. */
export function maskShapes(text: string): string {
  // No shape is shorter than this with its name.
  if (text.length < 8 || !suspicious.test(text)) return text;
  let masked = text;
  for (const shape of shapes) masked = masked.replaceAll(shape, mask);
  for (const [shape, replacement] of named) masked = masked.replaceAll(shape, replacement);
  return masked;
}

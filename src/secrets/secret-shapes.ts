import { isSecretParameter } from './secret-names.ts';

/** What stands in the place of a secret, wherever one was. */
export const mask = '[masked]';

/** Gives what is to stand in the place of a text that looks like a secret; it begins as the mask does. */
export type Replace = (secret: string) => string;

/**
 * Secrets that are known by their looks: what vendors prefix their keys with, and web tokens. Each takes linear time: what
 * a pattern has once begun to read it also consumes, so no character is read again from another beginning.
 */
const shapes: readonly RegExp[] = [
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

/** A web token, or with nothing in the group a run that merely begins like one. */
const webToken = /\beyJ[\w-]{8,}(\.[\w-]{8,}(?:\.[\w-]*)?)?/g;

/** `Bearer …`, `https://user:…@host`: the name stays, so that a person sees what was there. */
const credentials: readonly RegExp[] = [
  /(\b(?:bearer|basic|negotiate|apikey)\s{1,4})([\w.~+/=-]{6,})()/gi,
  /(:\/\/[^\s/?#:@]{0,200}:)([^\s/?#@]{1,4096})(@)/g,
];

/** `password: …`, `apiKey="…"`; the value ends at its own quote, behind as many backslashes as stood before the first. The name in `${secret:NAME}` is none. */
const assigned =
  /((?<!\$\{)(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|authori[sz]ation|credentials?|ssn)\w{0,20}\\{0,8}["']?\s{0,4}[:=]\s{0,4})(?!\[masked)(?:(\\{0,8})(["'])([\s\S]{0,4096}?)\2\3|((?!bearer\b|basic\b|negotiate\b)[^\s"'\\,;&}\])]{1,4096}))/gi;

/** A parameter of a URL. */
const parameter = /([?&])([\w.-]{1,64})=(?!\[masked)([^\s&#"'<>\\)\]}]+)/g;

/** What every one of the shapes has somewhere: most texts have none of it, and are looked at once instead of often. */
const suspicious =
  /-----BEGIN |eyJ|[sprw][khe][-_]|whsec|gh[a-z]_|github_pat|gl[pd]|npm_|pypi|hf_|dop_|shp|lsv2|lin_api|ntn_|xai-|gsk_|r8_|xox|A[KSBC][IC]A|AIza|ya29|SG\.|AGE-|:AA|:\/\/|[?&][\w.-]+=|earer|asic|egotiate|pikey|passw|passphrase|pwd|secret|token|key|authori[sz]ation|credential|ssn/i;

/** The text without the secrets that are known by their looks. Linear in its length. */
export function maskShapes(text: string, replace: Replace = () => mask): string {
  // No shape is shorter than this with its name.
  if (text.length < 8 || !suspicious.test(text)) return text;
  let masked = withoutPrivateKeys(text, replace);
  masked = masked.replaceAll(webToken, (run, rest: string | undefined) => (rest === undefined ? run : replace(run)));
  for (const shape of shapes) masked = masked.replaceAll(shape, replace);
  for (const shape of credentials) {
    masked = masked.replaceAll(
      shape,
      (_, before: string, secret: string, after: string) => before + replaced(secret, replace) + after,
    );
  }
  masked = masked.replaceAll(
    assigned,
    (
      _,
      name: string,
      escape: string | undefined,
      quote: string | undefined,
      quoted: string | undefined,
      bare: string,
    ) => {
      const mark = `${escape ?? ''}${quote ?? ''}`;
      return name + mark + replaced(quoted ?? bare, replace) + mark;
    },
  );
  return masked.replaceAll(parameter, (whole, before: string, name: string, value: string) =>
    isSecretParameter(name) ? `${before}${name}=${replaced(value, replace)}` : whole,
  );
}

/** What an earlier shape has put there is no secret any more. */
function replaced(secret: string, replace: Replace): string {
  return secret.includes('[masked') ? secret : replace(secret);
}

const keyBegins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnds = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** What may stand in a key of which the end is missing: a few headers, and base64 in lines. */
const keyBody = /\s*(?:[A-Z][A-Za-z-]{1,30}: [\w,. ()-]{0,200}\s+){0,4}[A-Za-z0-9+/=\s\\]*/y;
/** Characters of the largest keys that are in use. */
const longestKey = 32_768;

/** Private keys; one without an end only as far as it looks like one, so that nothing hides behind a mere beginning. */
function withoutPrivateKeys(text: string, replace: Replace): string {
  const begins = [...text.matchAll(keyBegins)];
  let masked = '';
  let at = 0;
  let end: Span = { from: -1, to: -1 };
  for (const [index, begin] of begins.entries()) {
    const inside = begin.index + begin[0].length;
    if (end.from < inside) end = nextEnd(text, inside);
    const next = begins[index + 1]?.index ?? Number.POSITIVE_INFINITY;
    const isWhole = end.from < next && end.from - inside <= longestKey;
    keyBody.lastIndex = inside;
    keyBody.test(text);
    const until = isWhole ? end.to : Math.max(inside, keyBody.lastIndex);
    masked += text.slice(at, begin.index) + replace(text.slice(begin.index, until));
    at = until;
  }
  return masked + text.slice(at);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function nextEnd(text: string, from: number): Span {
  keyEnds.lastIndex = from;
  const found = keyEnds.exec(text);
  if (found === null) return { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  return { from: found.index, to: found.index + found[0].length };
}

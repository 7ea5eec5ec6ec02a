import { configTexts, type ResolvedConfig } from './resolve-references.ts';

/** Names whose values are secret whatever they look like. */
const secretName =
  /secret|passw|pwd|token|api[-_]?key|auth(?!or)|credential|cookie|session|private|(^|[-_])(key|pat|pin|sid)($|[-_])/i;

/** No secret under any name: masking these words would make every log unreadable. */
const plainWord = /^(true|false|null|none|undefined)$/i;

/** Values that tell nothing unless their name is secret: a word, a small number, a path, an address without a query. */
const harmless = [/^[a-z]{1,12}$/i, /^\d{1,5}(\.\d+)?$/, /^(\/|~|\.\.?\/|[A-Za-z]:\\)/, /^https?:\/\/[^@?#]*$/i];

function looksHarmless(value: string): boolean {
  return harmless.some(pattern => pattern.test(value));
}

/** The value after an authentication scheme is a secret on its own: it may appear without the scheme. */
function withCredentials(value: string): readonly string[] {
  const credentials = /^(?:bearer|basic|token|apikey)\s+(\S+)$/i.exec(value)?.[1];
  return credentials === undefined ? [value] : [value, credentials];
}

/**
 * The texts of a resolved config that must be masked wherever they could appear (S15), longest first: values of
 * `${secret:…}`, of secret-looking names (variables, headers, `--token X`, `-e NAME=X`, query parameters), and every
 * other value of env and headers that could tell something. Nothing shorter than 4 characters.
 */
export function secretValues(resolved: ResolvedConfig): readonly string[] {
  const found = [...resolved.fromSecrets];
  for (const { place, text } of configTexts(resolved.config)) {
    const keyed = /^(?:env|headers)\.(.*)$/s.exec(place)?.[1];
    if (keyed !== undefined && (secretName.test(keyed) || !looksHarmless(text))) found.push(...withCredentials(text));
  }
  found.push(...secretArguments(resolved.config.args ?? []), ...secretParameters(resolved.config.endpoint ?? ''));
  return [...new Set(found.filter(value => value.length >= 4 && !plainWord.test(value)))].sort(
    (a, b) => b.length - a.length,
  );
}

function secretArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => {
    const [, name, value] = /^-{0,2}([A-Za-z][\w-]*)=(.*)$/s.exec(argument) ?? [];
    if (name !== undefined) return secretName.test(name) && value !== undefined ? [value] : [];
    const before = args[index - 1] ?? '';
    return /^--?[A-Za-z][\w-]*$/.test(before) && secretName.test(before.replace(/^-+/, '')) ? [argument] : [];
  });
}

function secretParameters(endpoint: string): readonly string[] {
  const query = endpoint.split('?', 2)[1] ?? '';
  return query.split('&').flatMap(pair => {
    const [name = '', value = ''] = pair.split('=', 2);
    return secretName.test(name) ? [value, URL.parse(`http://x/?${pair}`)?.searchParams.get(name) ?? ''] : [];
  });
}

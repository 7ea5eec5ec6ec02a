import type { KnownSecret } from './known-secrets.ts';
import { isSecretName, isSecretParameter } from './secret-names.ts';

/** No secret under any name: masking these words would make every log unreadable. */
const plainWord = /^(true|false|null|none|undefined)$/i;

/** Values that tell nothing unless their name is secret: a word, a small number, a path, an address without a query. */
const harmless = [/^[a-z]{1,12}$/i, /^\d{1,5}(\.\d+)?$/, /^(\/|~|\.\.?\/|[A-Za-z]:\\)/, /^https?:\/\/[^@?#]*$/i];

/** Shorter ones would mask half of every text. */
const shortest = 4;

/**
 * What of named values (environment, headers) must be masked wherever it appears: the value of a secret name and every
 * other that could tell something, the credential behind an authentication scheme, and passwords and parameters of URLs.
 */
export function secretsInEntries(entries: Readonly<Record<string, string>>): readonly KnownSecret[] {
  return Object.entries(entries).flatMap(([name, text]) => {
    const isSecret = isSecretName(name) || !harmless.some(pattern => pattern.test(text));
    const credential = /^(?:bearer|basic|token|apikey)\s{1,4}(\S+)$/i.exec(text)?.[1];
    const own = isSecret ? [text, ...(credential === undefined ? [] : [credential])] : [];
    return telling([...own.map(value => ({ name, value })), ...secretsInUrl(text, name)]);
  });
}

/** The password and the secret parameters of a URL, as they stand there and decoded. Anything else has none. */
export function secretsInUrl(text: string, name: string): readonly KnownSecret[] {
  const password = /:\/\/[^\s/?#:@]{0,200}:([^\s/?#]{1,4096})@/.exec(text)?.[1] ?? '';
  const found: KnownSecret[] = [{ name, value: password }];
  const query = text.split('?', 2)[1]?.split('#', 1)[0] ?? '';
  for (const pair of query.split('&')) {
    const [parameter = '', value = ''] = pair.split('=', 2);
    if (isSecretParameter(parameter)) found.push({ name: parameter, value });
  }
  return telling(found.flatMap(secret => [secret, { ...secret, value: decoded(secret.value) }]));
}

/** Without words that are no secret under any name, and without what is too short to be masked. */
export function telling(secrets: readonly KnownSecret[]): readonly KnownSecret[] {
  return secrets.filter(({ value }) => value.length >= shortest && !plainWord.test(value));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

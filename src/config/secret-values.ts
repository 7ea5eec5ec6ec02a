import type { KnownSecret } from '../secrets/known-secrets.ts';
import { secretsInEntries, secretsInUrl, telling } from '../secrets/secret-entries.ts';
import { isSecretName } from '../secrets/secret-names.ts';
import type { ResolvedConfig } from './resolve-references.ts';

/**
 * The texts of a resolved config that must be masked wherever they could appear (S15), longest first: values of
 * `${secret:…}`, of secret-looking names (variables, headers, `--token X`, `-e NAME=X`, query parameters), and every
 * other value of env and headers that could tell something. Nothing shorter than 4 characters.
 */
export function secretValues({ config, fromSecrets }: ResolvedConfig): readonly KnownSecret[] {
  const found = [
    ...fromSecrets,
    ...secretsInEntries({ ...config.env }),
    ...secretsInEntries({ ...config.headers }),
    ...secretArguments(config.args ?? []),
    ...secretsInUrl(config.endpoint ?? '', 'endpoint'),
  ];
  const byValue = new Map(
    telling(found)
      .toReversed()
      .map(secret => [secret.value, secret]),
  );
  return [...byValue.values()].toSorted((a, b) => b.value.length - a.value.length);
}

function secretArguments(args: readonly string[]): readonly KnownSecret[] {
  return args.flatMap((argument, index) => {
    const inUrl = secretsInUrl(argument, `args[${index}]`);
    const [, name, value] = /^-{0,2}([A-Za-z][\w-]*)=(.*)$/s.exec(argument) ?? [];
    if (name !== undefined) return isSecretName(name) && value !== undefined ? [{ name, value }, ...inUrl] : inUrl;
    const before = args[index - 1] ?? '';
    const isFlagged = /^--?[A-Za-z][\w-]*$/.test(before) && isSecretName(before.replace(/^-+/, ''));
    return isFlagged ? [{ name: before.replace(/^-+/, ''), value: argument }, ...inUrl] : inUrl;
  });
}

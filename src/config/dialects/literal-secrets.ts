import { secretsInUrl } from '../../secrets/secret-entries.ts';
import { isSecretName } from '../../secrets/secret-names.ts';
import { maskShapes } from '../../secrets/secret-shapes.ts';
import { isPlaceholder } from '../placeholders.ts';
import type { ForeignServer } from './types.ts';

/** The places of a server that hold a credential in clear: `env.TOKEN`, `headers.H`, `args[3]`, `endpoint`. */
export function literalSecrets({ env, headers, args, endpoint }: Partial<ForeignServer>): readonly string[] {
  const named = ([field, entries]: readonly [string, Readonly<Record<string, string>> | undefined]) =>
    Object.entries(entries ?? {}).flatMap(([name, text]) => (isLiteral(name, text) ? [`${field}.${name}`] : []));
  return [
    ...[['env', env] as const, ['headers', headers] as const].flatMap(named),
    ...(args ?? []).flatMap((word, index) => (isSecretWord(word, args?.[index - 1]) ? [`args[${index}]`] : [])),
    ...(endpoint !== undefined && isLiteral('endpoint', endpoint) ? ['endpoint'] : []),
  ];
}

function isLiteral(name: string, text: string): boolean {
  if (text.includes('${') || text.includes('{{') || isPlaceholder(text) || isPlainWord(text)) return false;
  return (isSecretName(name) && !isPath(text)) || looksSecret(text);
}

function looksSecret(text: string): boolean {
  return maskShapes(text) !== text || secretsInUrl(text, '').some(({ value }) => !isPlaceholder(value));
}

/** One word of a command line, with the one before it. */
function isSecretWord(word: string, before = ''): boolean {
  const [, name, value] = /^-{0,2}([A-Za-z][\w-]*)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && value !== undefined) return isLiteral(name, value);
  const [, flag] = /^--?([A-Za-z][\w-]*)$/.exec(before) ?? [];
  if (word.startsWith('-')) return false;
  return isLiteral(flag ?? '', word);
}

function isPlainWord(text: string): boolean {
  return /^(?:true|false|null|none|undefined|\d{1,5})$/i.test(text);
}

/** It tells where a secret is, not what it is. */
function isPath(text: string): boolean {
  return /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text);
}

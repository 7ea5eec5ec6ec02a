import { findReferences, foreignReferences } from '../config/references.ts';
import { secretValues } from '../config/secret-values.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import { parseRun, printRun, type RunFlag } from '../docker/parse-run.ts';
import { isSecretName, isSecretParameter } from '../secrets/secret-names.ts';
import { maskShapes } from '../secrets/secret-shapes.ts';

/** A secret that a config holds in clear. */
export interface ClearSecret {
  /** Where: `env.TOKEN`, `headers.Authorization`, `args[2]`, `endpoint.api_key`. */
  readonly place: string;
  /** What it is called there: `TOKEN`. */
  readonly variable: string;
  readonly value: string;
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What a walk over a config does with the secrets on its way. */
interface Walk {
  /** Gives what is to stand in the place of a secret. */
  readonly replace: (secret: ClearSecret) => string;
  readonly allowArguments: boolean;
  readonly problems: Problem[];
  /** What is to stand in the place of a secret that is mixed with a reference; it stays if not said. */
  readonly mixed?: string;
}

/**
 * The secrets that a config holds in clear, for them to be kept elsewhere. Throws `bad-config`, naming every place and no
 * value, for a secret in the command line (unless `allowArguments`) and for one that is mixed with a reference.
 */
export function clearSecrets(config: MCPServerConfig, options: { allowArguments: boolean }): readonly ClearSecret[] {
  const found: ClearSecret[] = [];
  const walk: Walk = {
    replace(secret) {
      found.push(secret);
      return secret.value;
    },
    allowArguments: options.allowArguments,
    problems: [],
  };
  walked(config, walk);
  if (walk.problems.length === 0) return found;
  throw new LongshoreError('bad-config', walk.problems.map(problem => problem.message).join(' '), {
    data: { problems: walk.problems.map(({ path, message }) => ({ path, message })) },
  });
}

/** The config with `${secret:NAME}` in the place of each secret whose value has a name in the secret store. */
export function withSecretNames(config: MCPServerConfig, names: ReadonlyMap<string, string>): MCPServerConfig {
  const replace = ({ value }: ClearSecret) => {
    const name = names.get(value);
    return name === undefined ? value : `\${secret:${name}}`;
  };
  return walked(config, { replace, allowArguments: true, problems: [] });
}

/** The config with `«secret»` in the place of each secret that it holds in clear, for a person to see. */
export function withMaskedSecrets(config: MCPServerConfig): MCPServerConfig {
  const masked = '«secret»';
  return walked(config, { replace: () => masked, allowArguments: true, problems: [], mixed: masked });
}

/** The names of the stored secrets that a text refers to; JSON is a text too. */
export function referredSecrets(text: string): readonly string[] {
  return findReferences(text).flatMap(({ source, name }) => (source === 'secret' ? [name] : []));
}

/** A `docker run` with `-e NAME=secret` in its arguments, as the same with `-e NAME` and the value in its environment. */
export function withInlineVariablesInEnv(config: MCPServerConfig): MCPServerConfig {
  const run = parseRun(config.command ?? '', config.args ?? []);
  const moved: Record<string, string> = {};
  const flags = run?.flags.map((flag): RunFlag => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(flag.name === '--env' ? (flag.value ?? '') : '') ?? [];
    if (name === undefined || value === undefined || !isSecret(name, value)) return flag;
    moved[name] = value;
    return { ...flag, value: name };
  });
  if (!run || !flags || Object.keys(moved).length === 0) return config;
  return { ...config, args: printRun({ ...run, flags }), env: { ...config.env, ...moved } };
}

function walked(config: MCPServerConfig, walk: Walk): MCPServerConfig {
  const { command, args, env, headers, endpoint } = config;
  return {
    ...config,
    ...(command !== undefined && { command: walkWord(command, undefined, 'command', walk) }),
    ...(args && { args: args.map((word, index) => walkWord(word, args[index - 1], `args[${index}]`, walk)) }),
    ...(env && { env: walkEntries(env, 'env', walk) }),
    ...(headers && { headers: walkEntries(headers, 'headers', walk) }),
    ...(endpoint !== undefined && { endpoint: walkEndpoint(endpoint, walk) }),
  };
}

function walkEntries(entries: Readonly<Record<string, string>>, field: string, walk: Walk): Record<string, string> {
  const each = ([name, text]: [string, string]) => [name, walkValue(`${field}.${name}`, name, text, walk)];
  return Object.fromEntries(Object.entries(entries).map(each));
}

function walkValue(place: string, variable: string, text: string, walk: Walk): string {
  const rest = withoutReferences(text);
  if (rest === text) return isSecret(variable, text) ? walk.replace({ place, variable, value: text }) : text;
  const hasSecretDefault = findReferences(text).some(({ fallback }) => isSecret(variable, fallback ?? ''));
  if (!hasSecretDefault && maskShapes(rest) === rest) return text;
  walk.problems.push(mixed(place));
  return walk.mixed ?? text;
}

/** A stored value is never read for references itself, so the two cannot be stored as one. */
function mixed(place: string): Problem {
  return {
    path: place,
    message: `${place} holds a secret in clear beside a reference. Give it whole, or store it with longshore secret set NAME and write \${secret:NAME}.`,
  };
}

/** A text without what are, or in other programs may be, references. */
function withoutReferences(text: string): string {
  const references = [...findReferences(text).map(reference => reference.text), ...foreignReferences(text)];
  return references.reduce((left, reference) => left.replaceAll(reference, ''), text);
}

/** Of the address only what is named a secret or looks like one can be told; the rest stays readable. */
function walkEndpoint(endpoint: string, walk: Walk): string {
  const [, path = '', query = '', rest = ''] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(endpoint) ?? [];
  const segments = path.split('/').map(segment => {
    if (segment.includes('${') || maskShapes(segment) === segment) return segment;
    return walk.replace({ place: 'endpoint', variable: 'path', value: segment });
  });
  const pairs = query.replaceAll(/([?&])([^=&]*)=([^&]*)/g, (whole, before, name: string, value: string) => {
    const isSecretPair = isNamedSecret(name, value) || (isTelling(value) && isSecretParameter(name));
    if (value.includes('${') || !isSecretPair) return whole;
    return `${before}${name}=${walk.replace({ place: `endpoint.${name}`, variable: name, value })}`;
  });
  return segments.join('/') + pairs + rest;
}

/** The command, or one word behind it with the word before. */
function walkWord(word: string, before: string | undefined, place: string, walk: Walk): string {
  const rest = withoutReferences(word);
  if (rest !== word && maskShapes(rest) !== rest) {
    walk.problems.push(mixed(place));
    if (walk.mixed !== undefined) return walk.mixed;
  }
  const [, head = '', value = ''] = rest === word ? (secretWord(word, before) ?? []) : [];
  const isReference = referredSecrets(word).length > 0;
  if (value === '' && !isReference) return word;
  if (!walk.allowArguments) {
    walk.problems.push({
      path: place,
      message: `${place} holds a secret, and a command line can be read by every program of this machine. Give it in env instead, or allow it on purpose.`,
    });
    return word;
  }
  if (isReference) return word;
  const variable = head.replace(/^-+|=$/g, '') || before?.replace(/^-+/, '') || 'argument';
  return head + walk.replace({ place, variable, value });
}

/** What of a word is a secret: what is behind `NAME=`, or all of it. */
function secretWord(word: string, before: string | undefined): readonly string[] | undefined {
  const assigned = /^(-{0,2}([A-Za-z][\w-]*)=)(.+)$/s.exec(word);
  const [, head = '', name = '', value = ''] = assigned ?? [];
  if (!isPath(value) && isNamedSecret(name, value)) return [word, head, value];
  const isFlagged = before !== undefined && valuesOf({ args: [before, word] }).includes(word);
  const isNone = isPath(word) || /^--?[A-Za-z]/.test(word);
  return (isFlagged && !isNone) || maskShapes(word) !== word ? [word, '', word] : undefined;
}

/** True for what must not be saved in clear: by its name, by its looks, or because it could tell something (S15). */
function isSecret(name: string, text: string): boolean {
  return isNamedSecret(name, text) || (isTelling(text) && valuesOf({ env: { [name]: text } }).length > 0);
}

function isNamedSecret(name: string, text: string): boolean {
  return isTelling(text) && (isSecretName(name) || maskShapes(text) !== text);
}

/** False for what is no secret under any name. */
function isTelling(text: string): boolean {
  return !/^(|true|false|null|none|undefined)$/i.test(text);
}

/** `--key-file /etc/key.pem` tells where a secret is, not what it is. */
function isPath(text: string): boolean {
  return /^(\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text);
}

function valuesOf(part: Partial<MCPServerConfig>): readonly string[] {
  return secretValues({ config: { name: '', ...part }, fromSecrets: [] }).map(({ value }) => value);
}

import { LongshoreError } from '../core/errors.ts';
import type { KnownSecret } from '../secrets/known-secrets.ts';
import { carriable } from './config-schema.ts';
import { findReferences, type Reference, replaceReferences } from './references.ts';
import type { MCPServerConfig } from './types.ts';

/** Where the values of references come from. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gives a stored secret; absent where there is no secret store. */
  readonly secret?: (name: string) => Promise<string | undefined>;
}

/** A config ready to start, and what must never be shown of it. */
export interface ResolvedConfig {
  readonly config: MCPServerConfig;
  /** The values that came from `${secret:…}`, each once. */
  readonly fromSecrets: readonly KnownSecret[];
}

/** Every text of a config that may hold references, with the place it has, e.g. `env.TOKEN`, `args[2]`. */
export function configTexts(config: MCPServerConfig): readonly { readonly place: string; readonly text: string }[] {
  const single = (['command', 'cwd', 'endpoint', 'envFile'] as const).map(place => ({
    place,
    text: config[place] ?? '',
  }));
  const args = (config.args ?? []).map((text, index) => ({ place: `args[${index}]`, text }));
  const keyed = (['env', 'headers'] as const).flatMap(field =>
    Object.entries(config[field] ?? {}).map(([key, text]) => ({ place: `${field}.${key}`, text })),
  );
  return [...single, ...args, ...keyed];
}

/**
 * Puts values in the place of a config's references, at start and never earlier. Rejects with `unresolved-reference`
 * naming each that has no value and where to set it, or with `bad-config` for a value that its place cannot carry.
 */
export async function resolveReferences(config: MCPServerConfig, sources: ReferenceSources): Promise<ResolvedConfig> {
  const texts = configTexts(config);
  const values = new Map<string, string>();
  const unresolved: { place: string; reference: Reference }[] = [];
  for (const { place, text } of texts) {
    for (const reference of findReferences(text)) {
      const value = values.get(reference.text) ?? (await valueOf(reference, sources));
      if (value === undefined) unresolved.push({ place, reference });
      else values.set(reference.text, value);
    }
  }
  if (unresolved.length > 0) throw unresolvedError(config.name, unresolved);

  const resolve = (text: string) => replaceReferences(text, reference => values.get(reference.text) ?? '');
  const resolveAll = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, resolve(text)]));
  const resolved: MCPServerConfig = {
    ...config,
    ...(config.command === undefined ? {} : { command: resolve(config.command) }),
    ...(config.args === undefined ? {} : { args: config.args.map(resolve) }),
    ...(config.env === undefined ? {} : { env: resolveAll(config.env) }),
    ...(config.cwd === undefined ? {} : { cwd: resolve(config.cwd) }),
    ...(config.endpoint === undefined ? {} : { endpoint: resolve(config.endpoint) }),
    ...(config.envFile === undefined ? {} : { envFile: resolve(config.envFile) }),
    ...(config.headers === undefined ? {} : { headers: resolveAll(config.headers) }),
  };
  refuseUncarriable(resolved);
  const secrets = texts.flatMap(({ text }) => findReferences(text)).filter(({ source }) => source === 'secret');
  const byName = new Map(secrets.map(({ name, text }) => [name, { name, value: values.get(text) ?? '' }]));
  return { config: resolved, fromSecrets: [...byName.values()] };
}

async function valueOf(reference: Reference, sources: ReferenceSources): Promise<string | undefined> {
  if (reference.source === 'secret') return sources.secret?.(reference.name);
  const value = Object.hasOwn(sources.env, reference.name) ? sources.env[reference.name] : undefined;
  return value === undefined || value === '' ? (reference.fallback ?? value) : value;
}

/** Told here, because a spawn or a fetch that is handed such a value repeats it in its message. */
function refuseUncarriable(config: MCPServerConfig): void {
  for (const { place, text } of configTexts(config)) {
    if (carriable.text(text) && (!place.startsWith('headers.') || carriable.headerValue(text))) continue;
    throw new LongshoreError(
      'bad-config',
      `The value of ${place} of server ${config.name} has characters that it cannot carry (a NUL, or a line break in a header). Check the variable or secret it refers to.`,
      { data: { problems: [{ path: place, message: 'has characters that it cannot carry' }] } },
    );
  }
}

function unresolvedError(
  server: string,
  unresolved: readonly { readonly place: string; readonly reference: Reference }[],
): LongshoreError {
  const places = unresolved.map(({ place, reference }) => `${reference.text} in ${place}`).join(', ');
  const names = (source: Reference['source']) => [
    ...new Set(unresolved.filter(({ reference }) => reference.source === source).map(it => it.reference.name)),
  ];
  const hints = [
    ...names('env').map(name => `set ${name} in the environment that Longshore is started with`),
    ...names('secret').map(name => `run: longshore secret set ${name}`),
  ];
  return new LongshoreError(
    'unresolved-reference',
    `Server ${server} needs values that are not set: ${places}. To set them, ${hints.join('; ')}.`,
    {
      data: {
        server,
        references: unresolved.map(({ place, reference }) => ({
          place,
          source: reference.source,
          name: reference.name,
        })),
      },
    },
  );
}

import type { CatalogEntry, CatalogStart } from '../catalog/catalog-entry.ts';
import { filled, keysIn, type TemplateValues } from '../catalog/templates.ts';
import type { ContainerSettings, PlannedServer } from '../config/planned-server.ts';
import { LongshoreError } from '../core/errors.ts';
import { type PlanSettings, plan } from './plan.ts';

/**
 * The plan of a catalog's entry with the values that a person gave: an image by our own hardened runner under the image's
 * identity (R56), an address as a remote server, a package by its launcher. Pure; `hasSecret` tells which secrets are
 * kept. Throws `unresolved-reference` naming everything that is missing and how to give it, before anything starts, or
 * `bad-config`.
 */
export function planEntry(
  entry: CatalogEntry,
  given: PlanSettings,
  hasSecret: (name: string) => boolean,
): PlannedServer {
  const { start } = entry;
  if (start.kind === 'none') {
    throw new LongshoreError('bad-config', `${entry.name} cannot be loaded: ${start.reason}.`);
  }
  refuseUnknown(entry, given.values ?? {});
  refuseMissing(entry, given, hasSecret);
  const values = valuesOf(entry, given.values ?? {});
  const { values: _, ...settings } = given;
  const env = { ...environment(entry, values), ...given.env };
  if (start.kind === 'image') {
    const container = { ...containerOf(start, values), ...given.container };
    const args = given.args ?? start.command.flatMap(word => filled(word, values));
    return plan(start.image, { ...settings, env, args: inClear(entry, args, env), container });
  }
  if (start.kind === 'remote') {
    const headers = Object.entries(start.headers).map(([name, value]) => [name, referring(entry, value)]);
    const { url: endpoint, transport } = start;
    const config = {
      name: entry.name,
      endpoint,
      headers: Object.fromEntries(headers),
      ...(transport && { transport }),
    };
    return plan(config, settings);
  }
  const args = [...start.args.flatMap(word => filled(word, values)), ...(given.args ?? [])];
  return plan({ name: entry.name, command: start.command, args: inClear(entry, args, env), env }, settings);
}

/** What an entry needs before it can be loaded, each with the command or flag that gives it. */
export function needsOf(entry: CatalogEntry): readonly string[] {
  return [
    ...entry.secrets.map(({ name }) => `longshore secret set ${name}`),
    ...entry.settings.filter(isAsked).map(({ key }) => `--set ${key}=VALUE`),
  ];
}

const isAsked = ({ isRequired, byDefault }: CatalogEntry['settings'][number]): boolean =>
  isRequired && byDefault === undefined;

function refuseUnknown(entry: CatalogEntry, values: TemplateValues): void {
  const known = keysOf(entry);
  const unknown = Object.keys(values).filter(key => !known.includes(key));
  if (unknown.length === 0) return;
  const there = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  throw new LongshoreError('usage', `${entry.name} has no setting ${unknown.join(', ')}; ${there}.`);
}

/** Those that are described, and those that only a template names. */
function keysOf({ settings, start, env }: CatalogEntry): readonly string[] {
  const words =
    start.kind === 'image' ? [...start.command, ...start.volumes] : start.kind === 'command' ? start.args : [];
  const named = [...words, ...Object.values(env)].flatMap(keysIn);
  return [...new Set([...settings.map(({ key }) => key), ...named])];
}

/** Throws `unresolved-reference` naming everything that is missing and how to give it. */
export function refuseMissing(entry: CatalogEntry, given: PlanSettings, hasSecret: (name: string) => boolean): void {
  const env = given.env ?? {};
  const secrets = entry.secrets.filter(({ name, variable }) => env[variable] === undefined && !hasSecret(name));
  const settings = entry.settings.filter(setting => {
    const told = Object.entries(entry.env).filter(([, template]) => keysIn(template).includes(setting.key));
    const isTold = told.length > 0 && told.every(([variable]) => env[variable] !== undefined);
    return isAsked(setting) && given.values?.[setting.key] === undefined && !isTold;
  });
  if (secrets.length + settings.length === 0) return;
  const missing = [
    ...secrets.map(({ name }) => `the secret ${name} (longshore secret set ${name})`),
    ...settings.map(
      ({ key, description }) =>
        `${key}${description === undefined ? '' : `, ${description.replace(/\.$/, '')}`} (--set ${key}=VALUE)`,
    ),
  ];
  throw new LongshoreError('unresolved-reference', `${entry.name} was not started, it needs: ${missing.join('; ')}.`, {
    data: { secrets: secrets.map(({ name }) => name), settings: settings.map(({ key }) => key) },
  });
}

function valuesOf({ settings }: CatalogEntry, values: TemplateValues): TemplateValues {
  const defaults = settings.flatMap(({ key, byDefault }) =>
    byDefault === undefined ? [] : [[key, byDefault] as const],
  );
  return { ...Object.fromEntries(defaults), ...values };
}

/** Secrets by reference; a variable that comes out empty is not set. */
function environment({ env, secrets }: CatalogEntry, values: TemplateValues): Readonly<Record<string, string>> {
  const told = Object.entries(env).map(([name, template]) => [name, filled(template, values).join(',')] as const);
  return Object.fromEntries([
    ...told.filter(([, value]) => value !== ''),
    ...secrets.map(({ name, variable }) => [variable, `\${secret:${name}}`] as const),
  ]);
}

function containerOf(
  { network, volumes, user }: Extract<CatalogStart, { kind: 'image' }>,
  values: TemplateValues,
): ContainerSettings {
  const mounts = volumes
    .flatMap(volume => filled(volume, values))
    .filter(volume => volume !== '' && !volume.startsWith(':'));
  const who = user === undefined ? undefined : filled(user, values)[0];
  return {
    ...(!network && { network: 'none' as const }),
    ...(mounts.length > 0 && { mounts }),
    ...(who !== undefined && who !== '' && { user: who }),
  };
}

/** Variables in a command line, as the gateway fills them; a secret there could be read by every program of the machine. */
function inClear(
  entry: CatalogEntry,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const secret = new Set(entry.secrets.map(({ variable }) => variable));
  return args.map(word =>
    word.replaceAll(
      /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
      (whole, braced: string | undefined, bare: string | undefined) => {
        const variable = braced ?? bare ?? '';
        if (!secret.has(variable)) return env[variable] ?? whole;
        throw new LongshoreError(
          'bad-config',
          `${entry.name} wants the secret ${variable} in its command line, where every program can read it. Use: longshore gateway start ${entry.name}`,
        );
      },
    ),
  );
}

/** `${VARIABLE}` in a header is a secret of the entry, and anything else stays as it is. */
function referring({ secrets }: CatalogEntry, value: string): string {
  return value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (whole, variable: string) => {
    const secret = secrets.find(one => one.variable === variable);
    return secret === undefined ? whole : `\${secret:${secret.name}}`;
  });
}

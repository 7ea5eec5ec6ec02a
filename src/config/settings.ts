import { type Deadlines, defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import type { Diagnostic } from '../core/words.ts';
import { dataFolder, type Machine } from './data-folder.ts';
import { readers, type SettingReader } from './setting-readers.ts';

/** One environment variable: docs/configuration.md has exactly these rows, in this order (R85). */
export interface Setting {
  readonly name: string;
  /** What holds where the variable is not set. */
  readonly byDefault: string;
  readonly allowed: string;
  readonly meaning: string;
}

interface ReadableSetting<Value> extends Setting {
  readonly read: SettingReader<Value>;
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const general = {
  home: {
    name: 'LONGSHORE_HOME',
    byDefault: 'the data folder of the platform',
    allowed: 'an absolute path',
    meaning: 'The folder that holds the database, the identity, the tokens and the logs.',
    read: readers.absolutePath,
  },
  host: {
    name: 'LONGSHORE_HOST',
    byDefault: '127.0.0.1',
    allowed: 'a host name or an IP address',
    meaning: 'Where Cortex listens. Anything but loopback needs --allow-host, and TLS or --insecure-http.',
    read: readers.hostName,
  },
  port: {
    name: 'LONGSHORE_PORT',
    byDefault: '7411',
    allowed: 'a whole number from 0 to 65535; 0 takes a free one',
    meaning: 'The port of Cortex.',
    read: readers.port,
  },
  log: {
    name: 'LONGSHORE_LOG',
    byDefault: 'info',
    allowed: 'one of debug, info, warn, error, silent',
    meaning: 'How much is written to the log.',
    read: readers.oneOf(logLevels),
  },
  idleTimeout: {
    name: 'LONGSHORE_IDLE_TIMEOUT',
    byDefault: '900',
    allowed: 'seconds: a number above 0; more than 2000000 counts as 2000000',
    meaning: 'How long a saved server is idle before it is put to sleep; its next call wakes it.',
    read: readers.seconds,
  },
  patience: {
    name: 'LONGSHORE_APPROVAL_PATIENCE',
    byDefault: '50',
    allowed: 'seconds: a number above 0; more than 2000000 counts as 2000000',
    meaning: 'How long a call of an MCP client waits for a decision before the client is told where to make it.',
    read: readers.seconds,
  },
  resultLimit: {
    name: 'LONGSHORE_RESULT_LIMIT',
    byDefault: '10000000',
    allowed: 'a whole number of characters, 1000 or more',
    meaning: 'A longer result is kept whole as a resource, and the MCP client gets a summary with its address.',
    read: readers.characters,
  },
  token: {
    name: 'LONGSHORE_TOKEN',
    byDefault: 'a ticket from the service',
    allowed: 'the token of a client',
    meaning: 'As whom longshore mcp connects.',
    read: readers.text,
  },
  dockerHost: {
    name: 'DOCKER_HOST',
    byDefault: 'the current context of the docker CLI',
    allowed: 'what the docker CLI takes, e.g. unix:///run/docker.sock',
    meaning: 'The Docker engine to use.',
    read: readers.text,
  },
  dockerCatalog: {
    name: 'KESTREL_MCP_DOCKER_CATALOG',
    byDefault: 'mcp/docker-mcp-catalog',
    allowed: 'an image reference with or without a tag, without a digest and without whitespace',
    meaning: 'The Docker MCP catalog to search and to load from.',
    read: readers.catalog,
  },
  mcpRegistry: {
    name: 'LONGSHORE_MCP_REGISTRY',
    byDefault: 'none',
    allowed: 'an http or https address, e.g. https://registry.example.org',
    meaning: 'A registry of MCP servers (v0 API), such as the community’s, to search and to load from as well.',
    read: readers.httpUrl,
  },
} as const satisfies Record<string, ReadableSetting<unknown>>;

const deadlineMeanings: Readonly<Record<keyof Deadlines, { readonly name: string; readonly meaning: string }>> = {
  open: { name: 'LONGSHORE_OPEN_TIMEOUT', meaning: 'Opening the transport and negotiating.' },
  openLauncher: {
    name: 'LONGSHORE_OPEN_LAUNCHER_TIMEOUT',
    meaning: 'Commands that download packages first (npx, uvx, bunx, dlx, dnx …) without a sign of work.',
  },
  launcherTotal: {
    name: 'LONGSHORE_LAUNCHER_TOTAL_TIMEOUT',
    meaning: 'The same for such commands, however much they work.',
  },
  discovery: {
    name: 'LONGSHORE_DISCOVERY_TIMEOUT',
    meaning: 'Listing tools, resources and prompts, all pages together.',
  },
  imagePull: { name: 'LONGSHORE_IMAGE_PULL_TIMEOUT', meaning: 'Pulling one image.' },
  containerReady: {
    name: 'LONGSHORE_CONTAINER_READY_TIMEOUT',
    meaning: 'Waiting for the HTTP port of a container to answer.',
  },
  gatewayStart: { name: 'LONGSHORE_GATEWAY_START_TIMEOUT', meaning: 'Starting the Docker MCP Gateway.' },
  callIdle: { name: 'LONGSHORE_CALL_IDLE_TIMEOUT', meaning: 'A call without any progress.' },
  callTotal: { name: 'LONGSHORE_CALL_TOTAL_TIMEOUT', meaning: 'A call however much progress it makes.' },
  close: {
    name: 'KESTREL_MCP_CLOSE_TIMEOUT',
    meaning: 'Closing a server gracefully; closing it by force may take the same once more.',
  },
};

const deadlineKeys = Object.keys(defaultDeadlines) as readonly (keyof Deadlines)[];

function deadlineSetting(key: keyof Deadlines): ReadableSetting<number> {
  return {
    ...deadlineMeanings[key],
    byDefault: String(defaultDeadlines[key] / 1000),
    allowed: 'seconds: a number above 0; more than 2000000 counts as 2000000',
    read: readers.seconds,
  };
}

/** Every environment variable that Longshore reads. */
export const settingsTable: readonly Setting[] = [...Object.values(general), ...deadlineKeys.map(deadlineSetting)];

/** Set by Longshore itself for its own processes; no settings. */
const ownNames = new Set(['LONGSHORE_MARKER', 'LONGSHORE_LIFELINE']);

/** What the environment says about this run. */
export interface Settings {
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly log: (typeof logLevels)[number];
  /** Milliseconds. */
  readonly idleTimeout: number;
  /** Milliseconds. */
  readonly patience: number;
  /** Characters. */
  readonly resultLimit: number;
  readonly token: string | undefined;
  readonly dockerHost: string | undefined;
  readonly dockerCatalog: string;
  readonly mcpRegistry: URL | undefined;
  readonly deadlines: Deadlines;
}

/**
 * Reads the settings from an environment. Throws `bad-setting` naming every bad variable and what is allowed;
 * names of ours that do not exist give one warning (R85).
 */
export function readSettings(machine: Machine): {
  readonly settings: Settings;
  readonly warnings: readonly Diagnostic[];
} {
  const bad: Setting[] = [];
  function value<Value>(setting: ReadableSetting<Value>): Value | undefined {
    const text = machine.env[setting.name];
    if (text === undefined) return undefined;
    const read = setting.read(text, machine.platform);
    if (read.ok) return read.value;
    bad.push(setting);
    return undefined;
  }

  const deadlines = Object.fromEntries(
    deadlineKeys.map(key => [key, value(deadlineSetting(key)) ?? defaultDeadlines[key]]),
  ) as unknown as Deadlines;
  const settings: Settings = {
    home: value(general.home) ?? dataFolder(machine),
    host: value(general.host) ?? general.host.byDefault,
    port: value(general.port) ?? Number(general.port.byDefault),
    log: value(general.log) ?? general.log.byDefault,
    idleTimeout: value(general.idleTimeout) ?? Number(general.idleTimeout.byDefault) * 1000,
    patience: value(general.patience) ?? Number(general.patience.byDefault) * 1000,
    resultLimit: value(general.resultLimit) ?? Number(general.resultLimit.byDefault),
    token: value(general.token),
    dockerHost: value(general.dockerHost),
    dockerCatalog: value(general.dockerCatalog) ?? general.dockerCatalog.byDefault,
    mcpRegistry: value(general.mcpRegistry),
    deadlines,
  };
  if (bad.length > 0) throw badSetting(bad, machine.env);
  return { settings, warnings: unknownNames(machine.env) };
}

function badSetting(bad: readonly Setting[], env: Machine['env']): LongshoreError {
  const sentences = bad.map(
    ({ name, allowed }) => `${name} is ${JSON.stringify(env[name])}, but allowed is ${allowed}.`,
  );
  return new LongshoreError('bad-setting', `${sentences.join(' ')} Correct or unset it, and start again.`, {
    data: { settings: bad.map(({ name, allowed }) => ({ name, allowed })) },
  });
}

function unknownNames(env: Machine['env']): readonly Diagnostic[] {
  const known = new Set(settingsTable.map(setting => setting.name));
  const unknown = Object.keys(env)
    .filter(name => /^(KESTREL_MCP|LONGSHORE)_/.test(name) && !known.has(name) && !ownNames.has(name))
    .sort();
  if (unknown.length === 0) return [];
  return [
    {
      code: 'unknown-setting',
      message: `No such settings, they change nothing: ${unknown.join(', ')}. docs/configuration.md lists all there are.`,
      data: { names: unknown },
    },
  ];
}

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { TransportName } from '../../core/words.ts';
import { dockerWarnings } from './docker-warnings.ts';
import { literalSecrets } from './literal-secrets.ts';
import { commandOf } from './map-command.ts';
import { timeoutFields, timeoutsOf } from './timeouts.ts';
import { toolFields, toolLimits } from './tool-limits.ts';
import { type Dialect, type ForeignServer, Rejected, type Warn } from './types.ts';
import { variablesOf } from './variables.ts';

/** What an entry says, and the questions it asks. */
export interface MappedEntry {
  readonly server: Omit<ForeignServer, 'name' | 'shortName' | 'place'>;
  readonly inputs: ReadonlySet<string>;
}

const endpointFields = ['httpUrl', 'url', 'serverUrl', 'uri', 'endpoint', 'baseUrl'] as const;
const envFields = ['env', 'envs', 'environment'] as const;
const headerFields = ['headers', 'http_headers'] as const;
const typeFields = ['type', 'transport', 'transportType'] as const;
const approvals = ['autoApprove', 'alwaysAllow', 'trust', 'autoApproveExcluded'] as const;
const known = new Set<string>([
  ...['name', 'description', 'command', 'cmd', 'args', 'cwd', 'envFile', 'disabled', 'enabled'],
  ...endpointFields,
  ...envFields,
  ...headerFields,
  ...typeFields,
  ...approvals,
  ...timeoutFields,
  ...toolFields,
]);

/** Reads one entry of a file. Throws `Rejected` for one that is no server. */
export function mapEntry(said: JsonValue | undefined, dialect: Dialect, warn: Warn): MappedEntry {
  if (!isJsonObject(said)) throw new Rejected('not-an-object');
  const entry = dialect.prepare?.(said, warn) ?? said;
  const variables = variablesOf(dialect, warn);
  const { rewrite } = variables;
  const start = commandOf(entry, warn);
  const address = endpointFields
    .map(field => entry[field])
    .filter(value => typeof value === 'string')
    .find(value => value.trim() !== '');
  if (start === undefined && address === undefined) throw new Rejected('no-command-or-url');
  const transport = transportOf(entry, { hasCommand: start !== undefined, address }, warn);
  const env = textsOf(entry, envFields, { dialect, rewrite, warn });
  const headers = textsOf(entry, headerFields, { dialect, rewrite, warn });
  const isStdio = start !== undefined;
  const switched = switchOf(entry, warn);
  const description = entry['description'];
  const server: MappedEntry['server'] = {
    ...(transport !== undefined && { transport }),
    ...(start && {
      command: rewrite(start.command, 'command'),
      args: start.args.map((word, index) => rewrite(word, `args[${index}]`)),
      ...(start.isForWindows && { isForWindows: true as const }),
    }),
    ...(isStdio && Object.keys(env).length > 0 && { env }),
    ...(isStdio && textField(entry, 'envFile', rewrite)),
    ...(isStdio && textField(entry, 'cwd', rewrite)),
    ...(!isStdio && { endpoint: rewrite((address ?? '').trim(), 'endpoint') }),
    ...(!isStdio && Object.keys(headers).length > 0 && { headers }),
    ...((switched || variables.runsCommand()) && { disabled: true as const }),
    ...timeoutsOf(entry, dialect, warn),
    ...toolLimits(entry, warn),
    ...(typeof description === 'string' && description.trim() !== '' && { description: description.trim() }),
  };
  for (const { code, field } of dockerWarnings(server.command ?? '', server.args ?? [], env)) warn(code, field);
  for (const place of literalSecrets(server)) warn('literal-secret', place);
  dropped(entry, dialect, warn);
  return { server, inputs: variables.inputs };
}

function dropped(entry: JsonObject, dialect: Dialect, warn: Warn): void {
  for (const field of approvals) {
    const value = entry[field];
    const isSaid = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
    if (isSaid) warn('approval-dropped', field);
  }
  for (const [field, value] of Object.entries(entry)) {
    if (known.has(field) || /^(?:_|\/\/|\$)/.test(field) || value === null || value === undefined) continue;
    if (dialect.silent?.includes(field) !== true) warn('field-ignored', field);
  }
}

function textField(entry: JsonObject, field: 'envFile' | 'cwd', rewrite: (text: string, field: string) => string) {
  const value = entry[field];
  return typeof value === 'string' && value.trim() !== '' ? { [field]: rewrite(value, field) } : {};
}

/** True where the file turns the server off, or leaves that to a variable. */
function switchOf(entry: JsonObject, warn: Warn): boolean {
  const read = (field: 'disabled' | 'enabled', off: boolean): boolean => {
    const value = entry[field];
    if (value === undefined || value === null) return false;
    if (typeof value === 'boolean') return value === off;
    if (typeof value === 'string' && /^(?:true|false)$/i.test(value.trim())) {
      return (value.trim().toLowerCase() === 'true') === off;
    }
    warn('unresolvable-flag', field);
    return true;
  };
  const isDisabled = read('disabled', true);
  return read('enabled', false) || isDisabled;
}

const transportWords: Readonly<Record<string, TransportName | 'websocket'>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'streamable-http',
  https: 'streamable-http',
  'streamable-http': 'streamable-http',
  streamable_http: 'streamable-http',
  streamablehttp: 'streamable-http',
  remote: 'streamable-http',
  sse: 'sse',
  websocket: 'websocket',
  ws: 'websocket',
};

/** The transport that an entry says, where what is there agrees with it. */
function transportOf(
  entry: JsonObject,
  { hasCommand, address }: { readonly hasCommand: boolean; readonly address: string | undefined },
  warn: Warn,
): TransportName | undefined {
  const field = typeFields.find(name => entry[name] !== undefined && entry[name] !== null);
  const value = field === undefined ? undefined : entry[field];
  const word = isJsonObject(value) ? value['type'] : value;
  const said = typeof word === 'string' ? transportWords[word.trim().toLowerCase()] : undefined;
  const isSocket = said === 'websocket' || /^wss?:/i.test(address ?? '');
  if (!hasCommand && isSocket) throw new Rejected('websocket');
  if (field !== undefined && said === undefined) warn('unknown-type', undefined);
  if (hasCommand && address !== undefined) warn('ambiguous-transport');
  if (said === undefined || said === 'websocket') {
    if (!hasCommand) warn('transport-inferred');
    return undefined;
  }
  if ((said === 'stdio') !== hasCommand) {
    warn('transport-contradiction', field);
    return undefined;
  }
  const path = /^[^?#]*/.exec(address ?? '')?.[0] ?? '';
  if (said === 'streamable-http' && /\/sse\/?$/.test(path)) warn('transport-mismatch', field);
  return said;
}

interface Reading {
  readonly dialect: Dialect;
  readonly rewrite: (text: string, field: string) => string;
  readonly warn: Warn;
}

/** Variables or headers as texts: the first of the fields that is there. */
function textsOf(
  entry: JsonObject,
  fields: readonly string[],
  { dialect, rewrite, warn }: Reading,
): Record<string, string> {
  const isEnv = fields.includes('env');
  const field = fields.find(name => entry[name] !== undefined && entry[name] !== null);
  if (field === undefined) return {};
  const said = entry[field];
  if (!isJsonObject(said)) throw new Rejected(isEnv ? 'bad-env' : 'bad-headers');
  const home = isEnv ? 'env' : 'headers';
  const texts: [string, string][] = [];
  for (const [name, value] of Object.entries(said)) {
    const place = `${home}.${name}`;
    if (isEnv && dialect.inheritsEmpty && (value === null || value === '')) {
      warn('env-inherited', place);
      texts.push([name, `\${env:${name}}`]);
    } else if (value === null || value === undefined) {
      warn('env-null-dropped', place);
    } else if (typeof value === 'string') {
      if (isEnv && value === '') warn('empty-value', place);
      texts.push([name, rewrite(value, place)]);
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      warn('value-coerced', place);
      texts.push([name, String(value)]);
    } else throw new Rejected(isEnv ? 'bad-env' : 'bad-headers');
  }
  return Object.fromEntries(texts);
}

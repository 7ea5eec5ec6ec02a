import { LongshoreError } from '../../core/errors.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { parseText } from '../dialects/parse-text.ts';
import { type ConnectableClient, entryName } from './connectable.ts';
import { putInJson, takeFromJson } from './edit-jsonc.ts';
import { putInToml, takeFromToml } from './edit-toml.ts';
import { putInYaml, takeFromYaml } from './edit-yaml.ts';

/** Our entry in a client's text, or undefined. Throws `bad-config` for a text that cannot be read. */
export function entryIn(text: string, client: ConnectableClient): JsonValue | undefined {
  return member(parseText(text, client.syntax).value, client);
}

/**
 * The text with our entry in it, all else as it was: comments, order, indentation, line ends. The text itself where the
 * entry is there already. Throws `bad-config` for a text that cannot be read, or in which the entry has no place.
 */
export function connectedText(text: string, client: ConnectableClient, value: JsonValue): string {
  const before = parseText(text, client.syntax).value;
  const present = member(before, client);
  if (present !== undefined && isSame(present, value)) return text;
  const bare = present === undefined ? text : disconnectedText(text, client);
  const wanted = { root: client.root, name: entryName, value };
  const put = { jsonc: putInJson, toml: putInToml, yaml: putInYaml }[client.syntax];
  const after = put(bare, wanted);
  const expected = withMember(parseText(bare, client.syntax).value, client, value);
  return checked(after, expected, client);
}

/** The text without our entry. The text itself where there is none. Throws as `connectedText`. */
export function disconnectedText(text: string, client: ConnectableClient): string {
  const before = parseText(text, client.syntax).value;
  if (member(before, client) === undefined) return text;
  const take = { jsonc: takeFromJson, toml: takeFromToml, yaml: takeFromYaml }[client.syntax];
  const after = take(text, { root: client.root, name: entryName, value: null });
  return checked(after, withMember(before, client, undefined), client);
}

/** An edit is only given out if it says exactly what was meant: nothing else of the file may mean anything else. */
function checked(after: string, expected: JsonValue, client: ConnectableClient): string {
  const read = parseText(after, client.syntax).value ?? {};
  if (isSame(lean(read, client), lean(expected, client))) return after;
  throw new LongshoreError(
    'bad-config',
    `The file of ${client.title} is built in a way that cannot be edited safely; it was left as it is. Add the entry ${entryName} by hand.`,
  );
}

/** Without an empty place for servers: whether it stands there says nothing. */
function lean(value: JsonValue, { root: [first = ''] }: ConnectableClient): JsonValue {
  if (!isJsonObject(value)) return value;
  const { [first]: servers, ...rest } = value;
  const isEmpty =
    servers === null ||
    (Array.isArray(servers) && servers.length === 0) ||
    (isJsonObject(servers) && Object.keys(servers).length === 0);
  return servers === undefined || isEmpty ? rest : value;
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function serversIn(value: JsonValue | undefined, { root: [first = ''] }: ConnectableClient): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, first) ? value[first] : undefined;
}

function member(value: JsonValue | undefined, client: ConnectableClient): JsonValue | undefined {
  const servers = serversIn(value, client);
  if (client.isList) {
    return Array.isArray(servers)
      ? servers.find((one: JsonValue) => isJsonObject(one) && one['name'] === entryName)
      : undefined;
  }
  return isJsonObject(servers) && Object.hasOwn(servers, entryName) ? servers[entryName] : undefined;
}

function withMember(value: JsonValue | undefined, client: ConnectableClient, entry: JsonValue | undefined): JsonValue {
  const {
    root: [first = ''],
    isList,
  } = client;
  const whole: JsonObject = isJsonObject(value) ? value : {};
  const servers = serversIn(value, client);
  if (isList) {
    const others = (Array.isArray(servers) ? servers : []).filter(
      (one: JsonValue) => !isJsonObject(one) || one['name'] !== entryName,
    );
    return { ...whole, [first]: entry === undefined ? others : [...others, entry] };
  }
  const { [entryName]: _, ...others } = isJsonObject(servers) ? servers : {};
  return { ...whole, [first]: entry === undefined ? others : { ...others, [entryName]: entry } };
}

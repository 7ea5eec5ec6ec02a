import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { EntryPlace } from '../expand-mcp-configs.ts';
import type { Dialect } from './types.ts';

/** An entry that may be a server; without a name where it has none. */
interface Entry {
  readonly place: EntryPlace;
  readonly name: string;
  readonly body: JsonValue | undefined;
}

interface Found {
  readonly entries: readonly Entry[];
  /** How the file is built where that is unusual. */
  readonly shape?: 'flat-root' | 'root-array';
}

/** Where servers are in any client's file, in the order in which they are looked for. */
const usualRoots: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['context_servers'],
  ['amp.mcpServers'],
  ['mcp.servers'],
];

/**
 * The entries of a file, from the places that its format has and nowhere else: other parts of a file have commands and
 * variables too. Throws `bad-config` for a file of something else.
 */
export function serverEntries(value: JsonValue | undefined, dialect: Dialect): Found {
  if (value === undefined || value === null) return { entries: [] };
  if (Array.isArray(value)) return { entries: fromList(value), shape: 'root-array' };
  if (!isJsonObject(value)) throw refused('unknown-dialect', 'This is no file with MCP servers.');
  if (isCatalogue(value)) {
    throw refused(
      'docker-catalog',
      'This is a catalogue of the Docker MCP Toolkit, which lists servers and starts none.',
    );
  }
  for (const root of dialect.roots ?? []) {
    const entries = at(value, root).flatMap(inner => entriesIn(inner, dialect));
    if (entries.length > 0) return { entries };
  }
  const isKnown = dialect.name !== 'generic';
  for (const root of usualRoots) {
    const inner = at(value, root).find(one => isJsonObject(one) || Array.isArray(one));
    if (inner !== undefined) return { entries: entriesIn(inner, dialect) };
  }
  const members = Object.entries(value).filter(([key]) => !isComment(key));
  if (dialect.flatRoot && members.length > 0 && members.every(([, entry]) => isServer(entry))) {
    return { entries: fromMap(value, dialect), shape: 'flat-root' };
  }
  if (isServer(value)) return { entries: fromList([value]) };
  if (isKnown || members.length === 0) return { entries: [] };
  throw refused(
    'unknown-dialect',
    'This is no file with MCP servers: there is no mcpServers, servers or the like in it.',
  );
}

/** The values at a path; `*` is every member. */
function at(value: JsonValue | undefined, path: readonly string[]): readonly JsonValue[] {
  const [step, ...rest] = path;
  if (value === undefined) return [];
  if (step === undefined) return [value];
  if (!isJsonObject(value)) return [];
  return step === '*' ? Object.values(value).flatMap(inner => at(inner, rest)) : at(own(value, step), rest);
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function entriesIn(inner: JsonValue, dialect: Dialect): readonly Entry[] {
  if (Array.isArray(inner)) return fromList(inner);
  return isJsonObject(inner) ? fromMap(inner, dialect) : [];
}

function fromList(list: readonly JsonValue[]): readonly Entry[] {
  return list.map((body, index) => ({ place: { index }, name: innerName(body) ?? '', body }));
}

/** The key names the server, unless the entry names itself and no other entry has that name (R20). */
function fromMap(map: JsonObject, { keyNames }: Dialect): readonly Entry[] {
  const entries = Object.entries(map).filter(([key, body]) => !(isComment(key) && !isServer(body)));
  const names = entries.map(([key, body]) => (keyNames ? key : (innerName(body) ?? key)));
  return entries.map(([key, body], index) => {
    const isTwin = names.filter(name => name === names[index]).length > 1;
    return { place: { key }, name: isTwin ? key : (names[index] ?? key), body };
  });
}

function innerName(body: JsonValue | undefined): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const { name } = body;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

/** People write comments as members. */
function isComment(key: string): boolean {
  return /^(?:_|\/\/|\$schema$)/.test(key);
}

const saying = ['command', 'url', 'serverUrl', 'httpUrl', 'endpoint'] as const;

function isServer(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && saying.some(key => typeof value[key] === 'string' || Array.isArray(value[key]));
}

function isCatalogue({ registry }: JsonObject): boolean {
  return (
    isJsonObject(registry) &&
    Object.values(registry).some(entry => isJsonObject(entry) && ('image' in entry || 'ref' in entry))
  );
}

function refused(reason: 'unknown-dialect' | 'docker-catalog', message: string): LongshoreError {
  return new LongshoreError('bad-config', message, { data: { reason } });
}

import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Diagnostic } from '../core/words.ts';
import { parseConfigBody } from './parse-config-body.ts';
import type { MCPServerConfig } from './types.ts';

/** Where an entry stood: its index in a list, or its key in a map. */
export type EntryPlace = { readonly index: number } | { readonly key: string };

/** What a pasted text or object came to. */
export interface ExpandedConfigs {
  readonly configs: readonly {
    readonly place: EntryPlace;
    readonly config: MCPServerConfig;
    /** False where the file itself turns the server off. */
    readonly enabled: boolean;
    readonly diagnostics: readonly Diagnostic[];
  }[];
  /** The entries that are no servers, and why (R22). */
  readonly skipped: readonly (EntryPlace & { readonly reason: string })[];
}

const shapes =
  'Accepted are {"mcpServers": {NAME: {…}}}, {"servers": {NAME: {…}}} or {"servers": [{…}]}, a list [{…}], or one server {"name": …, "command": … or "endpoint": …}.';

/**
 * The servers in a JSON text or value, in any of the accepted shapes (R20, R21): the only place that knows them.
 * One bad entry is skipped with its reason, and so is the second of two with one name. Throws `bad-config` for invalid
 * JSON, and for an unknown shape or no valid entry at all (naming the shapes).
 */
export function expandMcpConfigsFromJson(json: unknown): ExpandedConfigs {
  const entries = entriesOf(typeof json === 'string' ? parseText(json) : json);
  const configs: ExpandedConfigs['configs'][number][] = [];
  const skipped: ExpandedConfigs['skipped'][number][] = [];
  const names = new Set<string>();
  for (const { place, body } of entries) {
    const { enabled, rest } = switchOf(body);
    const parsed = parseConfigBody(rest);
    if ('error' in parsed) skipped.push({ ...place, reason: parsed.error.message });
    else if (names.has(parsed.config.name)) skipped.push({ ...place, reason: nameTwice(parsed.config.name) });
    else {
      names.add(parsed.config.name);
      configs.push({ place, enabled, ...parsed });
    }
  }
  if (configs.length === 0) throw noValidServer(skipped);
  return { configs, skipped };
}

function nameTwice(name: string): string {
  return `An earlier server has the name ${name} too. Rename one of them.`;
}

/** Clients turn a server off with `disabled: true` or `enabled: false`; a value of another type says nothing. */
function switchOf(body: unknown): { readonly enabled: boolean; readonly rest: unknown } {
  if (!isJsonObject(body)) return { enabled: true, rest: body };
  const { disabled, enabled, ...others } = body;
  const isSwitch = (value: unknown) => value === undefined || value === null || typeof value === 'boolean';
  const rest = {
    ...others,
    ...(!isSwitch(disabled) && { disabled }),
    ...(!isSwitch(enabled) && { enabled }),
  };
  return { enabled: disabled !== true && enabled !== false, rest };
}

/** The error for a text of which nothing is a server that can be used: every reason, and what is accepted (R22). */
export function noValidServer(skipped: ExpandedConfigs['skipped']): LongshoreError {
  const reasons = skipped.map(entry => `${'key' in entry ? entry.key : entry.index}: ${entry.reason}`).join(' ');
  return new LongshoreError('bad-config', `There is no valid server in it. ${reasons} ${shapes}`.replace('  ', ' '), {
    data: { skipped },
  });
}

interface Entry {
  readonly place: EntryPlace;
  readonly body: unknown;
}

function entriesOf(value: unknown): readonly Entry[] {
  if (Array.isArray(value)) return fromList(value);
  if (!isJsonObject(value)) throw new LongshoreError('bad-config', `This is no server configuration. ${shapes}`);
  for (const key of ['mcpServers', 'servers']) {
    const inner: unknown = value[key];
    if (Array.isArray(inner)) return fromList(inner);
    if (isJsonObject(inner)) return fromMap(inner);
    if (inner !== undefined) throw new LongshoreError('bad-config', `${key} must be an object or a list. ${shapes}`);
  }
  return fromList([value]);
}

function fromList(list: readonly unknown[]): readonly Entry[] {
  return list.map((body, index) => ({ place: { index }, body }));
}

/**
 * The key names the server, unless the entry names itself (R20) and no other entry has that name: keys cannot be used
 * twice, so no entry loses another.
 */
function fromMap(map: JsonObject): readonly Entry[] {
  const entries = Object.entries(map);
  const names = entries.map(([key, body]) => innerName(body) ?? key);
  return entries.map(([key, body], index) => {
    if (!isJsonObject(body)) return { place: { key }, body };
    const name = names.filter(one => one === names[index]).length > 1 ? key : (names[index] ?? key);
    // A name of another type is told as what is wrong with the entry.
    return { place: { key }, body: innerName(body) === undefined && !isUnnamed(body) ? body : { ...body, name } };
  });
}

function innerName(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  return typeof body['name'] === 'string' && body['name'].trim() !== '' ? body['name'] : undefined;
}

function isUnnamed({ name }: JsonObject): boolean {
  return name === undefined || (typeof name === 'string' && name.trim() === '');
}

/** JSON.parse's own message quotes the text, which may hold secrets; only one character of it is repeated. */
function parseText(text: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(json);
  } catch (error) {
    const detail = error instanceof Error ? error.message : '';
    const unexpected = /^Unexpected token '(.)'/su.exec(detail)?.[1];
    const position = /at position (\d+)/.exec(detail)?.[1];
    const why =
      unexpected !== undefined
        ? `unexpected ${JSON.stringify(unexpected)}`
        : position !== undefined
          ? `a mistake in line ${json.slice(0, Number(position)).split('\n').length}`
          : 'it is cut off';
    throw new LongshoreError('bad-config', `Invalid JSON: ${why}. Comments and trailing commas are not part of JSON.`);
  }
}

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
    readonly diagnostics: readonly Diagnostic[];
  }[];
  /** The entries that are no servers, and why (R22). */
  readonly skipped: readonly (EntryPlace & { readonly reason: string })[];
}

const shapes =
  'Accepted are {"mcpServers": {NAME: {…}}}, {"servers": {NAME: {…}}} or {"servers": [{…}]}, a list [{…}], or one server {"name": …, "command": … or "endpoint": …}.';

/**
 * The servers in a JSON text or value, in any of the accepted shapes (R20, R21): the only place that knows them.
 * One bad entry is skipped with its reason. Throws `bad-config` for invalid JSON, for an unknown shape or no valid
 * entry at all (naming the shapes), and for a name that two entries share.
 */
export function expandMcpConfigsFromJson(json: unknown): ExpandedConfigs {
  const entries = entriesOf(typeof json === 'string' ? parseText(json) : json);
  const configs: ExpandedConfigs['configs'][number][] = [];
  const skipped: ExpandedConfigs['skipped'][number][] = [];
  for (const { place, body } of entries) {
    const parsed = parseConfigBody(body);
    if ('error' in parsed) skipped.push({ ...place, reason: parsed.error.message });
    else configs.push({ place, ...parsed });
  }
  if (configs.length === 0) throw noValidServer(skipped);
  const names = configs.map(({ config }) => config.name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (twice.length > 0) {
    throw new LongshoreError('bad-config', `Two servers have the same name: ${twice.join(', ')}. Rename one of them.`, {
      data: { names: twice },
    });
  }
  return { configs, skipped };
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

/** The key names the server, unless the entry names itself (R20). */
function fromMap(map: JsonObject): readonly Entry[] {
  return Object.entries(map).map(([key, body]) => {
    if (!isJsonObject(body)) return { place: { key }, body };
    const { name } = body;
    const isUnnamed = name === undefined || (typeof name === 'string' && name.trim() === '');
    return { place: { key }, body: isUnnamed ? { ...body, name: key } : body };
  });
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

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { dialectOf, namedDialect } from './dialects.ts';
import { mapEntry } from './map-entry.ts';
import { parseText, type Syntax } from './parse-text.ts';
import { pastedAsJson } from './pasted-text.ts';
import { serverEntries } from './server-entries.ts';
import {
  type Dialect,
  type ForeignFile,
  type ForeignInput,
  type ForeignServer,
  type ImportWarning,
  Rejected,
} from './types.ts';

/** A file of another client, or a text that was pasted. */
export interface ForeignText {
  readonly text: string;
  /** Where it is, in the manner of any platform; its end tells the format. */
  readonly path?: string;
  /** The format, where a person names it. */
  readonly from?: string;
}

/**
 * The servers of another client's file (R20, R21): by the format that its path, its content or `from` says. Pure: nothing is
 * run, resolved or read besides. One bad entry is a warning and loses no other. A file without servers has none, which is no
 * error. Throws `bad-config` with `data.reason` `parse` (with line and column), `unknown-dialect` or `docker-catalog`.
 */
export function readForeignFile({ text: given, path, from }: ForeignText): ForeignFile {
  const text = path === undefined && from === undefined ? pastedAsJson(given) : given;
  const { value, warnings: odd } = parseText(text, syntaxOf(path, text));
  const dialect = from === undefined ? dialectOf(path, value) : namedDialect(from);
  const warnings: ImportWarning[] = [...odd];
  const inputs = inputsOf(value);
  const found = serverEntries(value, dialect);
  if (found.shape !== undefined) warnings.push({ code: found.shape });
  const servers: ForeignServer[] = [];
  const names = new Set<string>();
  for (const { place, name, body } of found.entries) {
    const { name: whole, shortName, isChanged } = namesOf(name, names);
    names.add(shortName);
    const own: ImportWarning[] = [];
    const warn = (code: string, field?: string) => {
      const isTold = own.some(one => one.code === code && one.field === field);
      if (!isTold) own.push({ code, server: shortName, ...(field !== undefined && { field }) });
    };
    try {
      if (name === '') throw new Rejected('no-name');
      const { server, inputs: asked } = mapEntry(body, dialect, warn);
      if (isChanged) warn('renamed');
      for (const id of asked) if (!inputs.has(id) && asksInFile(dialect)) warn('undefined-input', id);
      servers.push({ name: whole, shortName, place, ...server });
      warnings.push(...own);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      warnings.push({ code: `rejected-${error.why}`, server: shortName });
    }
  }
  return { dialect: dialect.name, servers, warnings, inputs };
}

/** Those of the others are kept elsewhere: in a keyring, in a hub. */
function asksInFile({ keyNames, secretTemplates }: Dialect): boolean {
  return keyNames !== true && secretTemplates !== true;
}

/** The name as it is kept, and as warnings have it. */
function namesOf(name: string, taken: ReadonlySet<string>) {
  const whole = Array.from(
    name
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .toWellFormed(),
  )
    .slice(0, 64)
    .join('')
    .trim();
  const plain = whole.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'server';
  let shortName = plain;
  for (let number = 2; taken.has(shortName); number += 1) shortName = `${plain}-${number}`;
  const isTwin = shortName !== plain;
  return { name: isTwin || whole === '' ? shortName : whole, shortName, isChanged: shortName !== name };
}

function syntaxOf(path: string | undefined, text: string): Syntax {
  const extension = /\.([a-z]+)$/i.exec(path ?? '')?.[1]?.toLowerCase();
  if (extension === 'toml') return 'toml';
  if (extension === 'yaml' || extension === 'yml') return 'yaml';
  if (extension !== undefined && /^json/.test(extension)) return 'jsonc';
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (/^(?:[{]|\/[/*]|\[\s*[\]{"[])/.test(start)) return 'jsonc';
  if (/^(?:#[^\n]*\n\s*)*(?:\[[\w."' -]+\]|[\w.-]+\s*=\s)/.test(start)) return 'toml';
  return /^(?:(?:#[^\n]*|---)\n\s*)*[\w"'.-]+\s*:(?:\s|$)/.test(start) ? 'yaml' : 'jsonc';
}

/** What a file wants asked, by id; also in the settings of VS Code. */
function inputsOf(value: JsonValue | undefined): ReadonlyMap<string, ForeignInput> {
  const found = new Map<string, ForeignInput>();
  if (!isJsonObject(value)) return found;
  const inner = value['mcp'];
  for (const list of [value['inputs'], isJsonObject(inner) ? inner['inputs'] : undefined]) {
    if (!Array.isArray(list)) continue;
    for (const input of (list as JsonValue[]).filter(isJsonObject)) addInput(found, input);
  }
  return found;
}

function addInput(found: Map<string, ForeignInput>, { id, description }: JsonObject): void {
  if (typeof id !== 'string') return;
  found.set(id, typeof description === 'string' ? { description } : {});
}

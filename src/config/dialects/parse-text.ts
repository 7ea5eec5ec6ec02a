import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, TomlDate, TomlError } from 'smol-toml';
import { parseDocument } from 'yaml';
import { LongshoreError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import type { ImportWarning } from './types.ts';

export type Syntax = 'jsonc' | 'yaml' | 'toml';

/** Characters of a file, and how deep it may be nested: far more than any configuration has. */
const longest = 8 * 1024 * 1024;
const deepest = 100;

/** The value of a text, undefined for an empty one; and what is odd about how it is written. */
export interface ParsedText {
  readonly value: JsonValue | undefined;
  readonly warnings: readonly ImportWarning[];
}

/**
 * Reads JSON with comments and trailing commas, YAML 1.2 without tags of its own, or TOML 1.0. Throws `bad-config` with
 * `data: {reason: 'parse', line, column}`; the message never quotes the text, which may hold secrets.
 */
export function parseText(text: string, syntax: Syntax): ParsedText {
  const warnings: ImportWarning[] = [];
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (body !== text) warnings.push({ code: 'bom-stripped' });
  if (body.length > longest) throw unreadable('it is larger than 8 MB', 1, 1);
  if (body.trim() === '') return { value: undefined, warnings };
  const duplicates = new Set<string>();
  try {
    const value = readers[syntax](body, key => duplicates.add(key));
    return { value, warnings: [...warnings, ...[...duplicates].map(field => ({ code: 'duplicate-key', field }))] };
  } catch (error) {
    if (error instanceof RangeError) throw unreadable('it is nested too deeply', 1, 1);
    throw error;
  }
}

type Reader = (text: string, onDuplicate: (key: string) => void) => JsonValue | undefined;
const readers: Readonly<Record<Syntax, Reader>> = { jsonc: readJsonc, yaml: readYaml, toml: readToml };

function readJsonc(text: string, onDuplicate: (key: string) => void): JsonValue | undefined {
  mustBeShallow(text);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first) {
    const { line, column } = positionAt(text, first.offset);
    throw unreadable(
      jsonReasons[printParseErrorCode(first.error)] ?? 'something unexpected stands there',
      line,
      column,
    );
  }
  return tree && nodeValue(tree, onDuplicate);
}

const jsonReasons: Readonly<Record<string, string>> = {
  CloseBraceExpected: 'a closing } is missing; it may be cut off',
  CloseBracketExpected: 'a closing ] is missing; it may be cut off',
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing',
  ValueExpected: 'a value is missing',
  PropertyNameExpected: 'a name in double quotes is missing',
  EndOfFileExpected: 'something stands behind its end',
  UnexpectedEndOfString: 'a text has no closing quote',
  UnexpectedEndOfComment: 'a comment has no end',
  InvalidCharacter: 'a character cannot stand there',
  InvalidEscapeCharacter: 'an escape in a text is none',
};

function nodeValue(node: Node, onDuplicate: (key: string) => void): JsonValue {
  if (node.type === 'array') return (node.children ?? []).map(child => nodeValue(child, onDuplicate));
  if (node.type !== 'object') return node.value as JsonValue;
  const entries = new Map<string, JsonValue>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (entries.has(name)) onDuplicate(name);
    entries.set(name, nodeValue(value, onDuplicate));
  }
  return Object.fromEntries(entries);
}

/** The parser calls itself for each level. */
function mustBeShallow(text: string): void {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (isInText) {
      if (one === '\\') at += 1;
      else if (one === '"' || one === '\n') isInText = false;
    } else if (one === '"') isInText = true;
    else if (one === '{' || one === '[') depth += 1;
    else if (one === '}' || one === ']') depth -= 1;
    if (depth > deepest) {
      const { line, column } = positionAt(text, at);
      throw unreadable('it is nested too deeply', line, column);
    }
  }
}

function readYaml(text: string, onDuplicate: (key: string) => void): JsonValue | undefined {
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'silent', prettyErrors: true });
  for (const error of document.errors) {
    if (error.code !== 'DUPLICATE_KEY') {
      throw unreadable(yamlReason(error.code), error.linePos?.[0].line ?? 1, error.linePos?.[0].col ?? 1);
    }
    onDuplicate(/^[^:\n]*/.exec(text.slice(error.pos[0]))?.[0].trim() ?? '');
  }
  try {
    return plainValue(document.toJS({ maxAliasCount: 100 }), 0);
  } catch (error) {
    if (error instanceof ReferenceError) throw unreadable('it repeats its parts too often', 1, 1);
    throw error;
  }
}

function yamlReason(code: string): string {
  return code === 'TAB_AS_INDENT'
    ? 'it is indented with a tab'
    : `YAML says ${code.toLowerCase().replaceAll('_', ' ')}`;
}

function readToml(text: string): JsonValue | undefined {
  try {
    return plainValue(parseToml(text, { maxDepth: deepest }), 0);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Up to whatever it might quote.
    const reason = /^Invalid TOML document: ([^\n"'`]*)/.exec(error.message)?.[1]?.trim();
    throw unreadable(reason ? `TOML says ${reason}` : 'this is no TOML', error.line, error.column);
  }
}

/** Dates become texts, what JSON has not becomes null, and no member is called `__proto__`. */
function plainValue(value: unknown, depth: number): JsonValue {
  if (depth > deepest) throw unreadable('it is nested too deeply', 1, 1);
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(item => plainValue(item, depth + 1));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item, depth + 1)]));
  }
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** A file that cannot be read at all: nothing of it is taken. */
export function unreadable(reason: string, line: number, column: number): LongshoreError {
  return new LongshoreError('bad-config', `The file cannot be read: line ${line}, column ${column}: ${reason}.`, {
    data: { reason: 'parse', line, column },
  });
}

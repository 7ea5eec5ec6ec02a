import { LongshoreError } from '../core/errors.ts';
import { exactNumber, parseExactJson, plainNumbers } from '../core/exact-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { argumentTypes } from './argument-types.ts';

/** Where `k=@file` and `k=-` read from. */
export interface ArgumentSources {
  readFile(path: string): Promise<string>;
  readStdin(): Promise<string>;
}

/**
 * The arguments of a call from the command line: `k=v` words, coerced by the tool's own schema, over `--args JSON`.
 * `k=@file` takes a file's text, `k=-` standard input. Throws `bad-arguments` or `usage`.
 */
export async function toolArguments(
  words: readonly string[],
  json: string | undefined,
  inputSchema: JsonValue | undefined,
  sources: ArgumentSources,
): Promise<JsonObject> {
  const result: Record<string, JsonValue> = { ...(json === undefined ? {} : parseObject(json)) } as Record<
    string,
    JsonValue
  >;
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) {
      throw new LongshoreError('usage', `Arguments are written name=value, not ${JSON.stringify(word)}.`);
    }
    const name = word.slice(0, at);
    result[name] = coerce(name, await read(word.slice(at + 1), sources), argumentTypes(inputSchema, name));
  }
  return result;
}

async function read(text: string, sources: ArgumentSources): Promise<string> {
  if (text === '-') return await sources.readStdin();
  if (text.startsWith('@') && text.length > 1) return await sources.readFile(text.slice(1));
  return text;
}

function parseObject(json: string): JsonObject {
  try {
    const value = parseExactJson(json);
    if (isJsonObject(value)) return value;
  } catch {
    // The message below says what was expected.
  }
  throw new LongshoreError('usage', `--args takes one JSON object, such as '{"path":"/srv"}'.`);
}

/** The text as the first of the types that it fits; as JSON or text where the schema does not say. Throws `bad-arguments`. */
function coerce(name: string, text: string, types: readonly string[]): JsonValue {
  const others = types.filter(type => type !== 'string');
  const isText = types.length === 0 || types.includes('string');
  for (const type of types.length === 0 ? anyType : others) {
    const value = as(type, text);
    // Any text is a string, so where that is meant too only what means the same is converted: not 007, not 1.0.
    if (value !== undefined && (!isText || printsBack(value, text))) return value;
  }
  if (isText) return text;
  throw new LongshoreError('bad-arguments', `${name} must be ${types.join(' or ')}, not ${JSON.stringify(text)}.`);
}

const anyType = ['number', 'boolean', 'null', 'array', 'object'];

function printsBack(value: JsonValue, text: string): boolean {
  const compact = text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, part => (part.startsWith('"') ? part : ''));
  return JSON.stringify(plainNumbers(value)) === (typeof value === 'object' ? compact : text);
}

/** The text as that type, or undefined if it is not one. */
function as(type: string, text: string): JsonValue | undefined {
  switch (type) {
    case 'number':
    case 'integer': {
      const digits = text.trim();
      if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) return numberAs(type, digits);
      const value = digits === '' ? Number.NaN : Number(digits);
      return Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) ? value : undefined;
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'null':
      return text === 'null' ? null : undefined;
    case 'array': {
      const value = parseJson(text);
      return Array.isArray(value) ? value : undefined;
    }
    case 'object': {
      const value = parseJson(text);
      return isJsonObject(value) ? value : undefined;
    }
    default:
      return undefined;
  }
}

/** A number as it was written: what would be sent changed is sent as that text. */
function numberAs(type: 'number' | 'integer', text: string): JsonValue | undefined {
  const isWhole = Number.isInteger(Number(text)) || /^-?\d+$/.test(text);
  // The type of a JSON value has no place of its own for these numbers.
  return type === 'number' || isWhole ? (exactNumber(text) as unknown as JsonValue) : undefined;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}

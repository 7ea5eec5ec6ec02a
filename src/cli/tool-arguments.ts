import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

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
    result[name] = coerce(name, await read(word.slice(at + 1), sources), propertyOf(inputSchema, name));
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
    const value: unknown = JSON.parse(json);
    if (isJsonObject(value)) return value;
  } catch {
    // The message below says what was expected.
  }
  throw new LongshoreError('usage', `--args takes one JSON object, such as '{"path":"/srv"}'.`);
}

function propertyOf(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return undefined;
  return schema['properties'][name];
}

/** The JSON types that a property accepts; empty where its schema does not say. */
function typesOf(schema: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { type, anyOf, oneOf } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter(one => typeof one === 'string');
  if (Array.isArray(schema['enum'])) return schema['enum'].map(value => (value === null ? 'null' : typeof value));
  const alternatives = anyOf ?? oneOf;
  return Array.isArray(alternatives) ? alternatives.flatMap((one: JsonValue) => typesOf(one)) : [];
}

function coerce(name: string, text: string, schema: JsonValue | undefined): JsonValue {
  const types = typesOf(schema);
  if (types.length === 0) return looksLikeJson(text) ? (parseJson(text) ?? text) : text;
  // Any text is a string, so in a union that comes last.
  for (const type of types.toSorted((a, b) => Number(a === 'string') - Number(b === 'string'))) {
    const value = as(type, text);
    if (value !== undefined) return value;
  }
  throw new LongshoreError('bad-arguments', `${name} must be ${types.join(' or ')}, not ${JSON.stringify(text)}.`);
}

/** The text as that type, or undefined if it is not one. */
function as(type: string, text: string): JsonValue | undefined {
  switch (type) {
    case 'string':
      return text;
    case 'number':
    case 'integer': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
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

function looksLikeJson(text: string): boolean {
  return /^(?:-?\d|true$|false$|null$|[{["])/.test(text);
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

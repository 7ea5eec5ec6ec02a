import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

/** Schemas may refer to each other in circles; nothing that a person writes goes deeper. */
const deepest = 16;

/**
 * The JSON types that one argument of a tool accepts, by its input schema: through local references, `allOf`, `anyOf`,
 * `oneOf`, `enum` and `const`. Empty where the schema does not say.
 */
export function argumentTypes(inputSchema: JsonValue | undefined, name: string): readonly string[] {
  const root = isJsonObject(inputSchema) ? inputSchema : {};
  return [
    ...new Set(propertiesNamed(root, root, name, deepest).flatMap(schema => typesOf(root, schema, deepest) ?? [])),
  ];
}

/** Everything that the schema, or a part of it, says of one property. */
function propertiesNamed(root: JsonObject, schema: JsonValue, name: string, depth: number): readonly JsonValue[] {
  if (!isJsonObject(schema) || depth === 0) return [];
  const { properties } = schema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name] ?? null] : [];
  const parts = [
    referred(root, schema),
    ...branches(schema, 'allOf'),
    ...branches(schema, 'anyOf'),
    ...branches(schema, 'oneOf'),
  ];
  return [...own, ...parts.flatMap(part => (part === undefined ? [] : propertiesNamed(root, part, name, depth - 1)))];
}

/** Undefined where nothing is said. */
function typesOf(root: JsonObject, schema: JsonValue, depth: number): readonly string[] | undefined {
  if (!isJsonObject(schema) || depth === 0) return undefined;
  const { type, const: constant } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter(one => typeof one === 'string');
  if (constant !== undefined) return [typeOf(constant)];
  if (Array.isArray(schema['enum'])) return schema['enum'].map(typeOf);
  const target = referred(root, schema);
  if (target !== undefined) return typesOf(root, target, depth - 1);
  const alternatives = [...branches(schema, 'anyOf'), ...branches(schema, 'oneOf')];
  if (alternatives.length > 0) return alternatives.flatMap(one => typesOf(root, one, depth - 1) ?? []);
  // All of them hold at once: the types that each one that speaks of types has.
  return branches(schema, 'allOf')
    .map(one => typesOf(root, one, depth - 1))
    .reduce((all, types) => (all && types ? all.filter(one => types.includes(one)) : (all ?? types)), undefined);
}

function branches(schema: JsonObject, keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly JsonValue[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

/** What a local `$ref` (`#/$defs/x`) points to; nothing is ever fetched. */
function referred(root: JsonObject, { $ref: reference }: JsonObject): JsonValue | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

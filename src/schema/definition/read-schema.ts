import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Member, Notes } from './members.ts';

/** Keywords whose value is an object of schemas, one schema, or a list of schemas. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const single = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['not', 'if', 'then', 'else'],
]);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** Keywords that null says nothing in; in `default`, `const` and `examples` it is a value. */
const others = new Set([
  ...['type', 'enum', 'required', 'title', 'description', 'format', 'pattern', '$ref', '$schema', '$id', '$comment'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'readOnly', 'writeOnly', 'deprecated'],
]);

/** Schemas inside schemas are read that deep; no client is shown more (`strictDefinition`). */
const deepest = 100;

/** The schema of a tool's arguments: always one of an object, whatever the server left out. */
export const inputSchema: Member = (value, notes) => {
  if (isJsonObject(value)) return objectSchema(value, notes);
  if (!Array.isArray(value) || value.length > 0) notes.changed();
  return emptyInput;
};

/** What a tool takes that does not say it (R37). */
export const emptyInput: JsonObject = { type: 'object', properties: {} };

/** The schema of a tool's structured result, which 2026-07-28 leaves to the server. */
export const outputSchema: Member = (value, notes) => {
  const schema = Array.isArray(value) && value.length === 0 ? {} : value;
  return isJsonObject(schema) ? withKnownForms(tidied(schema, deepest), notes) : undefined;
};

function objectSchema(value: JsonObject, notes: Notes): JsonObject {
  const schema = withKnownForms(tidied(value, deepest), notes);
  const { type } = schema;
  if (type === 'object') return schema;
  if (type !== undefined) notes.member('type', type, () => undefined);
  return { ...schema, type: 'object' };
}

/** What the types of some languages have for these keywords of a tool's schema; they hold no other. */
const forms: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  properties: isJsonObject,
  $defs: isJsonObject,
  definitions: isJsonObject,
  required: value => Array.isArray(value) && value.every(one => typeof one === 'string'),
};

function withKnownForms(schema: JsonObject, notes: Notes): JsonObject {
  let kept = schema;
  for (const [name, isRight] of Object.entries(forms)) {
    const value = kept[name];
    if (value === undefined || isRight(value)) continue;
    notes.member(name, value, () => undefined);
    const { [name]: _, ...rest } = kept;
    kept = rest;
  }
  return kept;
}

/** The schema with null for absent and `[]` for an empty object put right, at every depth; itself if there are none. */
function tidied(schema: JsonObject, room: number): JsonObject {
  if (room === 0) return schema;
  const entries = Object.entries(schema);
  const kept = entries.map(([name, value]) => [name, value === undefined ? value : tidy(name, value, room)] as const);
  if (kept.every(([, value], index) => value === entries[index]?.[1])) return schema;
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

function tidy(name: string, value: JsonValue, room: number): JsonValue | undefined {
  const isKnown = maps.has(name) || single.has(name) || lists.has(name) || others.has(name);
  if (value === null) return isKnown ? undefined : value;
  if (maps.has(name)) return mapOf(value, room - 1);
  if (single.has(name) && !(name === 'items' && Array.isArray(value))) return asSchema(value, room - 1);
  if (!(lists.has(name) || name === 'items') || !Array.isArray(value)) return value;
  const items = value as readonly JsonValue[];
  const kept = items.map(item => asSchema(item, room - 1));
  return kept.every((item, index) => item === items[index]) ? value : kept;
}

function mapOf(value: JsonValue, room: number): JsonValue {
  if (Array.isArray(value)) return value.length === 0 ? {} : value;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  // A name without a schema is a name still: it takes anything.
  const kept = entries.map(([name, member]) => [name, subSchema(member ?? null, room)] as const);
  return kept.every(([, member], index) => member === entries[index]?.[1]) ? value : Object.fromEntries(kept);
}

function subSchema(value: JsonValue, room: number): JsonValue {
  const schema = asSchema(value, room);
  return isJsonObject(schema) || typeof schema === 'boolean' ? schema : {};
}

function asSchema(value: JsonValue, room: number): JsonValue {
  if (Array.isArray(value) && value.length === 0) return {};
  return isJsonObject(value) ? tidied(value, room) : value;
}

import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

/** How deep a nested object is written out before it becomes `object`. */
const maxDepth = 2;

/** A tool as a function signature: `add(a: number, b?: number)`; the arguments that must be given come first. */
export function signature(name: string, inputSchema: JsonValue | undefined): string {
  return `${name}(${parameters(inputSchema, 0).join(', ')})`;
}

function parameters(schema: JsonValue | undefined, depth: number): string[] {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return [];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const entries = Object.entries(schema['properties']);
  const sorted = [
    ...entries.filter(([name]) => required.has(name)),
    ...entries.filter(([name]) => !required.has(name)),
  ];
  return sorted.map(([name, property]) => `${name}${required.has(name) ? '' : '?'}: ${typeOf(property, depth)}`);
}

function typeOf(schema: JsonValue | undefined, depth: number): string {
  if (!isJsonObject(schema)) return 'any';
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(value => JSON.stringify(value)).join(' | ');
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) {
    return [...new Set(alternatives.map((alternative: JsonValue) => typeOf(alternative, depth)))].join(' | ');
  }
  const { type } = schema;
  if (Array.isArray(type)) return type.map(one => typeOf({ ...schema, type: one }, depth)).join(' | ');
  return typeof type === 'string' ? named(type, schema, depth) : 'any';
}

function named(type: string, schema: JsonObject, depth: number): string {
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const item = typeOf(schema['items'], depth);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object') {
    const members = depth < maxDepth ? parameters(schema, depth + 1) : [];
    return members.length === 0 ? 'object' : `{ ${members.join(', ')} }`;
  }
  return type;
}

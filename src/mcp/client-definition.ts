import { headerFault } from '../connections/x-mcp-header.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Era, Handle } from '../core/words.ts';
import { readDefinition } from '../schema/definition/read-definition.ts';
import { isUri, strictDefinition } from '../schema/definition/strict-definition.ts';

/**
 * A definition as a client sees it: verbatim, but for its name, and for what would make a client of that era, in whatever
 * language, refuse the whole list or hide the tool (docs/clients.md lists the differences).
 */
export function toClientDefinition(handle: Handle, era: Era): JsonObject {
  const { kind, handleName } = handle;
  // What was kept by an older version was not read as strictly.
  const read = readDefinition(kind, handle.definition);
  const { definition } = strictDefinition(kind, 'definition' in read ? read.definition : handle.definition);
  if (kind === 'template') return definition;
  if (kind === 'resource') return { ...definition, uri: clientUri(handle) };
  const named = { ...definition, name: handleName };
  if (kind === 'prompt') return named;
  return era === 'legacy' ? forSdkOf2025(named) : withGoodHeaders(named);
}

/** The URI by which clients know a resource: its own, unless that is none that all of them can read. */
export function clientUri({ wireName, ownerKey }: Pick<Handle, 'wireName' | 'ownerKey'>): string {
  if (isUri(wireName)) return wireName;
  return `longshore://resources/${ownerKey}?uri=${encodeURIComponent(wireName.toWellFormed())}`;
}

/**
 * The SDK of 2025 takes no boolean for the schema of a property, and an output schema only of an object; a result of any
 * other is wrapped for it (`toClientResult`).
 */
function forSdkOf2025(tool: JsonObject): JsonObject {
  const { inputSchema, outputSchema } = tool;
  const input = isJsonObject(inputSchema) ? withObjectProperties(inputSchema) : inputSchema;
  const output = isJsonObject(outputSchema) ? withObjectProperties(outputSchema) : undefined;
  const shown: JsonObject = { ...tool, inputSchema: input };
  if (isOutputOf2025(output)) return output === outputSchema ? shown : { ...shown, outputSchema: output };
  const { outputSchema: _, ...rest } = shown;
  return rest;
}

function isOutputOf2025(schema: JsonObject | undefined): boolean {
  if (schema?.type !== 'object') return false;
  const { properties = {}, required = [] } = schema;
  const isNames = Array.isArray(required) && required.every(name => typeof name === 'string');
  return isNames && isJsonObject(properties) && Object.values(properties).every(isJsonObject);
}

function withObjectProperties(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || !Object.values(properties).some(one => typeof one === 'boolean')) return schema;
  const asObjects = Object.entries(properties).map(([name, one]) => [name, asObjectSchema(one)]);
  return { ...schema, properties: Object.fromEntries(asObjects) };
}

function asObjectSchema(schema: JsonValue | undefined): JsonValue | undefined {
  if (schema === true) return {};
  return schema === false ? { not: {} } : schema;
}

/** Over HTTP a client leaves out a tool with a wrong annotation, and it is only a hint. */
function withGoodHeaders(tool: JsonObject): JsonObject {
  return headerFault(tool.inputSchema) === undefined
    ? tool
    : { ...tool, inputSchema: withoutHeaders(tool.inputSchema ?? {}) };
}

function withoutHeaders(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(item => withoutHeaders(item as JsonValue));
  if (!isJsonObject(schema)) return schema;
  const { 'x-mcp-header': _annotation, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, value === undefined ? value : withoutHeaders(value)]),
  );
}

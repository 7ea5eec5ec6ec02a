import { isJsonObject, type JsonValue } from '../core/json.ts';

/** RFC 9110: the characters of a header's name. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Keywords under which a property is not certain to be an argument, so that no header can be made of it. */
const conditional = [
  ...['items', 'prefixItems', 'contains', 'unevaluatedItems'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
] as const;
/** The same, where the schemas have names. */
const conditionalMaps = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;

/**
 * What is wrong with the `x-mcp-header` annotations of a tool's input schema; `undefined` if nothing. A client over
 * Streamable HTTP must leave such a tool out (2026-07-28, "Custom Headers from Tool Parameters").
 */
export function headerFault(inputSchema: JsonValue | undefined): string | undefined {
  return faultIn(inputSchema, '', new Set());
}

/** `path`: the property's, `''` for the root; `undefined` where no header may be declared. */
function faultIn(schema: JsonValue | undefined, path: string | undefined, taken: Set<string>): string | undefined {
  if (Array.isArray(schema)) return firstFault(schema, path, taken);
  if (!isJsonObject(schema)) return undefined;
  const own = 'x-mcp-header' in schema ? annotationFault(schema['x-mcp-header'], schema.type, path, taken) : undefined;
  if (own !== undefined) return own;
  const { properties } = schema;
  for (const [name, property] of isJsonObject(properties) ? Object.entries(properties) : []) {
    const inner = path === undefined ? undefined : `${path}${path === '' ? '' : '.'}${name}`;
    const fault = faultIn(property, inner, taken);
    if (fault !== undefined) return fault;
  }
  const rest = [
    ...conditional.map(keyword => schema[keyword]),
    ...conditionalMaps.flatMap(keyword => (isJsonObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ];
  return firstFault(rest, undefined, taken);
}

function firstFault(
  schemas: readonly (JsonValue | undefined)[],
  path: string | undefined,
  taken: Set<string>,
): string | undefined {
  for (const schema of schemas) {
    const fault = faultIn(schema, path, taken);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function annotationFault(
  header: JsonValue | undefined,
  type: JsonValue | undefined,
  path: string | undefined,
  taken: Set<string>,
): string | undefined {
  if (path === undefined || path === '') return 'x-mcp-header stands where no argument is certain to be';
  if (typeof header !== 'string' || !token.test(header)) return `the x-mcp-header of ${path} is no header name`;
  if (!headerTypes.has(type)) return `the x-mcp-header of ${path} needs the type string, integer or boolean`;
  if (taken.has(header.toLowerCase())) return `two arguments have the x-mcp-header ${header}`;
  taken.add(header.toLowerCase());
  return undefined;
}

/** An argument that a client over HTTP repeats as a header. */
export interface DeclaredHeader {
  /** Without `Mcp-Param-`. */
  readonly header: string;
  /** Where the argument is, from the arguments' root. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

/** The headers that a tool's input schema declares; none where a client would leave the tool out. */
export function declaredHeaders(inputSchema: JsonValue | undefined): readonly DeclaredHeader[] {
  return headerFault(inputSchema) === undefined ? headersIn(inputSchema, []) : [];
}

function headersIn(schema: JsonValue | undefined, path: readonly string[]): readonly DeclaredHeader[] {
  if (!isJsonObject(schema)) return [];
  const { 'x-mcp-header': header, type, properties } = schema;
  const own = typeof header === 'string' ? [{ header, path, type: type as DeclaredHeader['type'] }] : [];
  const inner = isJsonObject(properties) ? Object.entries(properties) : [];
  return [...own, ...inner.flatMap(([name, property]) => headersIn(property, [...path, name]))];
}

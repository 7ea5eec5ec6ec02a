import { domainToUnicode } from 'node:url';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { strictUriTemplate } from '../../core/strict-uri-template.ts';
import { wellFormed } from '../../core/well-formed.ts';
import type { Definition, HandleKind } from '../../core/words.ts';

/**
 * Objects and lists inside each other, the definition itself counted in. An answer that has it adds up to 5, and rmcp reads
 * 127 in all, Python 199, Java 1,000: none of them reads any of a list in which one entry goes deeper.
 */
const deepest = 100;

/**
 * A definition that was read (`readDefinition`) as clients of every language take it: bounded in depth, well-formed Unicode,
 * an input schema with `properties`, and a URI template that is one. The places that lost something are in `changed`.
 */
export function strictDefinition(
  kind: HandleKind,
  definition: Definition,
): { readonly definition: Definition; readonly changed: readonly string[] } {
  const changed: string[] = [];
  let strict: JsonObject = bounded(definition, deepest);
  if (strict !== definition) changed.push(`what is nested deeper than ${deepest}`);
  const formed = wellFormed(strict);
  if (formed !== strict) changed.push('halves of characters');
  strict = formed;
  const { inputSchema, outputSchema, uriTemplate } = strict;
  if (kind === 'tool' && isJsonObject(inputSchema) && inputSchema.properties === undefined) {
    strict = { ...strict, inputSchema: { ...inputSchema, properties: {} } };
  }
  if (kind === 'tool' && isJsonObject(outputSchema) && typeof (outputSchema.type ?? '') !== 'string') {
    strict = { ...strict, outputSchema: withOneType(outputSchema) };
  }
  if (kind === 'template' && typeof uriTemplate === 'string' && strictUriTemplate(uriTemplate) !== uriTemplate) {
    strict = { ...strict, uriTemplate: strictUriTemplate(uriTemplate) };
    changed.push('uriTemplate');
  }
  const { uri } = definition;
  if (kind === 'resource' && typeof uri === 'string' && !isUri(uri)) changed.push('uri');
  return { definition: strict as Definition, changed };
}

/** True for what every client takes for a URI; Python's refuses a list with one that has no scheme, or no host after `http:`. */
export function isUri(text: string): boolean {
  const url = text.isWellFormed() ? URL.parse(text) : null;
  // Others refuse an internationalised name that cannot be decoded.
  return url !== null && !domainToUnicode(url.hostname).includes('xn--');
}

/** The same schema without a list of types at its top, which the types of Go have no place for. */
function withOneType({ type, allOf, ...rest }: JsonObject): JsonObject {
  const others = Array.isArray(allOf) ? (allOf as readonly JsonValue[]) : [];
  return { ...rest, allOf: [...others, { type }] };
}

/** The value without what lies deeper; itself if nothing does. */
function bounded<Value extends JsonValue>(value: Value, room: number): Value {
  if (!isDeeper(value, room)) return value;
  return trimmed(value, room) as Value;
}

function isDeeper(value: JsonValue | undefined, room: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (room === 0) return true;
  const members = Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value);
  return members.some(member => isDeeper(member, room - 1));
}

/** On the last level only plain values stay: a list or an object that lost its own would say something else. */
function trimmed(value: JsonValue, room: number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (room === 0) return undefined;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(([name, member]) => [name, trimmed(member ?? null, room - 1)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  const items = value as readonly JsonValue[];
  const kept = items.map(item => trimmed(item, room - 1));
  return kept.some(item => item === undefined) ? undefined : (kept as readonly JsonValue[]);
}

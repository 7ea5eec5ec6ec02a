import { isExactNumber } from './exact-json.ts';

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; members may be absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for a plain JSON object: not null, not an array, and no number that keeps its text (`ExactNumber`). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/**
 * JSON text in which equal values have equal text: members sorted by UTF-16 code unit at every depth, no spaces
 * (the idea of RFC 8785; numbers are printed as JSON.stringify prints them). Absent members are left out.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item as JsonValue)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

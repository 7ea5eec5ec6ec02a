import { parseExactJson } from './exact-json.ts';
import type { JsonValue } from './json.ts';

/**
 * The value as JSON text that every parser reads: lone surrogates, which JSON can spell but Unicode does not have, become
 * U+FFFD, in names of members too (RFC 8259 8.2, RFC 7493 2.1).
 */
export function wellFormedJson(value: JsonValue): string {
  const json = JSON.stringify(value);
  const safe = withoutLoneSurrogates(json);
  // Two names that differed only there are one now.
  return safe === json ? json : JSON.stringify(parseExactJson(safe));
}

/** The same value where nothing is wrong with it, else a copy that is well-formed. */
export function wellFormed<Value extends JsonValue>(value: Value): Value {
  const json = JSON.stringify(value);
  const safe = withoutLoneSurrogates(json);
  return safe === json ? value : (parseExactJson(safe) as Value);
}

/** `JSON.stringify` writes a lone surrogate as an escape, and nothing else as one of these. */
function withoutLoneSurrogates(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replaceAll(/\\(?:u[\da-f]{4}|[^u])/g, escape => (escape.startsWith('\\ud') ? '\\ufffd' : escape));
}

import { type Digest, sha256 } from '../../core/ids.ts';
import { canonicalJson, type JsonObject } from '../../core/json.ts';
import type { Definition } from '../../core/words.ts';

/** What a person judges a tool by; what other kinds have instead of schemas is `uri`, `uriTemplate` and `arguments`. */
const judged = [
  ...['name', 'uri', 'uriTemplate', 'description'],
  ...['inputSchema', 'outputSchema', 'annotations', 'arguments'],
] as const;

/** The part of a definition that its digest covers: what a decision was about, and what a difference is shown of. */
export function judgedPart(definition: Definition): JsonObject {
  return Object.fromEntries(judged.flatMap(key => (definition[key] === undefined ? [] : [[key, definition[key]]])));
}

/** SHA-256 over name, description, both schemas and annotations (R42, R43): what a standing "always allow" is pinned to. */
export function definitionDigest(definition: Definition): Digest {
  return sha256(canonicalJson(judgedPart(definition)));
}

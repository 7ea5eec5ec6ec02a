import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { type KnownSecrets, knownSecrets } from './known-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { mask, maskShapes } from './secret-shapes.ts';

/**
 * Takes secrets out of whatever is stored, shown or logged (S15): by the name of a member, by their looks, and known
 * values wherever they appear; inside JSON inside texts too. Always before a text is cut.
 */
export interface Redactor extends Pick<KnownSecrets, 'learn'> {
  text(text: string): string;
  json(value: JsonValue): JsonValue;
  /** The masked value as JSON text of at most so many characters; a cut one ends in `…`. */
  shown(value: JsonValue, limit: number): string;
}

/** JSON inside a text inside JSON … deeper than this is masked as a whole. */
const deepest = 32;

/** A redactor that knows no values yet. */
export function createRedactor(): Redactor {
  const known = knownSecrets();

  function maskText(text: string, depth: number): string {
    const parsed = asJson(text);
    if (parsed === undefined) return maskShapes(known.mask(text));
    if (depth >= deepest) return mask;
    const masked = JSON.stringify(maskValue(parsed, depth + 1));
    // Where nothing inside was masked the text keeps its own spelling, and is still looked at as a text.
    return masked === JSON.stringify(parsed) ? maskShapes(known.mask(text)) : masked;
  }

  function maskValue(value: JsonValue, depth: number): JsonValue {
    if (typeof value === 'string') return maskText(value, depth);
    if (typeof value === 'number') return known.mask(String(value)) === String(value) ? value : mask;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= deepest) return mask;
    if (isJsonObject(value)) return maskMembers(value, depth + 1);
    const items = value as readonly JsonValue[];
    return items.map((item, index) => (isSecretFlag(items[index - 1]) ? maskWhole(item) : maskValue(item, depth + 1)));
  }

  function maskMembers(object: JsonObject, depth: number): JsonObject {
    // A pair such as { name: 'Authorization', value: '…' } is a member in another shape.
    const pairName = object['name'] ?? object['key'] ?? object['header'];
    const isSecretPair = typeof pairName === 'string' && isSecretName(pairName);
    return Object.fromEntries(
      Object.entries(object).flatMap(([name, member]) => {
        if (member === undefined) return [];
        const secret = name === 'value' ? isSecretPair : isSecretName(name) && !(name === 'key' && 'value' in object);
        return [[known.mask(name), secret ? maskWhole(member) : maskValue(member, depth)]];
      }),
    );
  }

  return {
    learn: values => known.learn(values),
    text: text => maskText(text, 0),
    json: value => maskValue(value, 0),
    shown(value, limit) {
      const text = JSON.stringify(maskValue(value, 0));
      return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
    },
  };
}

/** What is no secret under any name stays readable. */
function maskWhole(value: JsonValue): JsonValue {
  return value === null || typeof value === 'boolean' || value === '' ? value : mask;
}

/** `--token` before its value. */
function isSecretFlag(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && /^--?[A-Za-z][\w-]*$/.test(value) && isSecretName(value);
}

function asJson(text: string): JsonValue | undefined {
  const first = /^\s*([[{"])/.exec(text)?.[1];
  if (first === undefined) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

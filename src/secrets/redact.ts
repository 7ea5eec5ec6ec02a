import { type ExactNumber, isExactNumber, parseExactJson } from '../core/exact-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { cut } from '../lib/cut.ts';
import { type KnownSecrets, knownSecrets } from './known-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { mask, maskShapes } from './secret-shapes.ts';

/**
 * Takes secrets out of whatever is stored, shown or logged (S15): by the name of a member, by their looks, and known
 * values wherever they appear; inside JSON inside texts too. Always before a text is cut.
 */
export interface Redactor extends Pick<KnownSecrets, 'learn' | 'maskByName'> {
  text(text: string): string;
  json(value: JsonValue): JsonValue;
  /** Without known values only, and otherwise as it is: for whoever is to have the whole, as a client has a server's error. */
  known<Value extends JsonValue>(value: Value): Value;
  /** The masked value as JSON text of at most so many characters; a cut one ends in `…`. Looks at no more than it shows. */
  shown(value: JsonValue, limit: number): string;
}

/** JSON inside a text inside JSON … deeper than this is masked as a whole. */
const deepest = 32;
/** A text is looked at this far at least, however little of it is shown. */
const leastReach = 65_536;
/** No secret is taken to be longer, unless a longer one is known. */
const longestSecret = 8_192;

/** A redactor that knows no values yet. */
export function createRedactor(): Redactor {
  const known = knownSecrets();
  function write(value: JsonValue, limit: number): string {
    const writer = new MaskedWriter(known, limit, 0);
    writer.value(value);
    return writer.text;
  }
  return {
    learn: secrets => known.learn(secrets),
    maskByName: text => known.maskByName(text),
    text: text => maskText(known, text, Number.POSITIVE_INFINITY, 0),
    json: value => parseExactJson(write(value, Number.POSITIVE_INFINITY)) as JsonValue,
    known: value => withoutKnown(known, value),
    shown(value, limit) {
      const text = write(value, limit);
      return cut(text, limit, '…');
    },
  };
}

function withoutKnown<Value extends JsonValue>(known: KnownSecrets, value: Value): Value {
  const read = (one: JsonValue): JsonValue => {
    if (typeof one === 'string') return known.mask(one);
    if (isExactNumber(one)) return known.mask(one.rawJSON) === one.rawJSON ? (one as unknown as JsonValue) : mask;
    if (typeof one === 'number') return known.mask(String(one)) === String(one) ? one : mask;
    if (typeof one !== 'object' || one === null) return one;
    if (!isJsonObject(one)) return one.map(read);
    const members = Object.entries(one).flatMap(([name, member]) =>
      member === undefined ? [] : [[known.mask(name), read(member)]],
    );
    return Object.fromEntries(members) as JsonObject;
  };
  return read(value) as Value;
}

/** The text without secrets; of a long one at least as much as there is room for. */
function maskText(known: KnownSecrets, text: string, room: number, depth: number): string {
  const margin = Math.max(longestSecret, known.longest);
  const reach = Math.max(leastReach, 2 * room + margin);
  const parsed = text.length <= reach ? asJson(text) : undefined;
  if (parsed !== undefined) {
    if (depth >= deepest) return mask;
    const writer = new MaskedWriter(known, room, depth + 1);
    writer.value(parsed);
    // Where nothing inside was masked the text keeps its own spelling, and is still looked at as a text.
    if (writer.isMasked || writer.isFull) return writer.text;
  }
  if (text.length <= reach) return maskShapes(known.mask(text));
  // A secret that the edge has cut in two is not known by its half: so much of the end is left out.
  const masked = maskShapes(known.mask(cut(text, reach)));
  return cut(masked, masked.length - margin);
}

/** Writes a value as JSON without secrets, and stops when there is no more room. */
class MaskedWriter {
  text = '';
  isMasked = false;
  readonly #known: KnownSecrets;
  readonly #limit: number;
  readonly #depth: number;

  constructor(known: KnownSecrets, limit: number, depth: number) {
    this.#known = known;
    this.#limit = limit;
    this.#depth = depth;
  }

  get isFull(): boolean {
    return this.text.length > this.#limit;
  }

  value(value: JsonValue, depth = this.#depth): void {
    if (typeof value === 'string') this.#string(value, depth);
    else if (typeof value === 'number' || isExactNumber(value)) this.#number(value);
    else if (typeof value !== 'object' || value === null) this.text += String(value);
    else if (depth >= deepest) this.#masked();
    else if (isJsonObject(value)) this.#members(value, depth + 1);
    else this.#items(value, depth + 1);
  }

  #string(value: string, depth: number): void {
    const room = Math.max(0, this.#limit - this.text.length);
    const masked = maskText(this.#known, value, room, depth);
    if (masked !== value) this.isMasked = true;
    this.text += JSON.stringify(cut(masked, room + 1));
  }

  #number(value: number | ExactNumber): void {
    const text = JSON.stringify(value);
    if (this.#known.mask(text) === text) this.text += text;
    else this.#masked();
  }

  #items(items: readonly JsonValue[], depth: number): void {
    this.text += '[';
    for (const [index, item] of items.entries()) {
      if (this.isFull) return;
      if (index > 0) this.text += ',';
      // `--token` before its value.
      const before = items[index - 1];
      const isFlag = typeof before === 'string' && /^--?[A-Za-z][\w-]*$/.test(before) && isSecretName(before);
      if (isFlag) this.#whole(item);
      else this.value(item, depth);
    }
    this.text += ']';
  }

  #members(object: JsonObject, depth: number): void {
    // A pair such as { name: 'Authorization', value: '…' } is a member in another shape.
    const pairName = object['name'] ?? object['key'] ?? object['header'];
    const isSecretPair = typeof pairName === 'string' && isSecretName(pairName);
    let first = true;
    this.text += '{';
    for (const name of Object.keys(object)) {
      const member = object[name];
      if (this.isFull) return;
      if (member === undefined) continue;
      this.text += first ? '' : ',';
      first = false;
      this.#string(name, deepest);
      this.text += ':';
      const isKeyOfPair = name === 'key' && 'value' in object;
      const isSecret = name === 'value' ? isSecretPair : isSecretName(name) && !isKeyOfPair;
      if (isSecret) this.#whole(member);
      else this.value(member, depth);
    }
    this.text += '}';
  }

  /** What is no secret under any name stays readable. */
  #whole(value: JsonValue): void {
    if (value === null || typeof value === 'boolean' || value === '') this.text += JSON.stringify(value);
    else this.#masked();
  }

  #masked(): void {
    this.isMasked = true;
    this.text += JSON.stringify(mask);
  }
}

function asJson(text: string): JsonValue | undefined {
  const first = /^\s*([[{"])/.exec(text)?.[1];
  if (first === undefined) return undefined;
  try {
    return parseExactJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}

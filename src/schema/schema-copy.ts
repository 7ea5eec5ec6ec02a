import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

/** A server's schema with only what may be run: no regular expressions, no references to elsewhere, nothing unknown. */
export interface SafeSchema {
  readonly schema: JsonObject;
  /** How many schemas it consists of. */
  readonly size: number;
  readonly hasUniqueItems: boolean;
}

/** A schema that cannot be checked against; the message says why. */
export class UnusableSchema extends Error {}

const deepest = 64;
/** A compiler's work grows faster than a schema: so much of one takes it some tenths of a second. */
const largest = 1_000;
const mostNames = 4_000;

const plainKeywords: ReadonlySet<string> = new Set(
  (
    'type enum const nullable multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength maxItems ' +
    'minItems uniqueItems maxProperties minProperties required dependentRequired $schema'
  ).split(' '),
);
const listKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'prefixItems']);
const mapKeywords: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Rules that only get weaker where what they hold gets weaker. */
const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'propertyNames',
  'additionalProperties',
]);
/** Left out and missed: without them more is valid than the server means. */
const leftOut: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'dependencies',
  '$dynamicRef',
  '$recursiveRef',
]);

/**
 * Copies a schema, leaving out the server's regular expressions and whatever would then refuse what the server accepts:
 * a `not`, `if` or `oneOf` around something left out is loosened too. Throws UnusableSchema.
 */
export function safeSchema(source: JsonValue | undefined): SafeSchema {
  if (!isJsonObject(source)) throw new UnusableSchema('it is not an object');
  const first = new SchemaCopy(false);
  const strict = first.copy(source, 0);
  // Where something is left out, a reference may lead to it, so the second copy trusts no reference.
  const copy = strict.weak ? new SchemaCopy(true) : first;
  const { schema } = strict.weak ? copy.copy(source, 0) : strict;
  if (!isJsonObject(schema)) throw new UnusableSchema('it is not an object');
  return { schema, size: copy.size, hasUniqueItems: copy.hasUniqueItems };
}

/** A copied schema; `weak` if it accepts more than its source. */
interface Copied {
  readonly schema: JsonValue;
  readonly weak: boolean;
}

class SchemaCopy {
  size = 0;
  #names = 0;
  hasUniqueItems = false;
  readonly #loose: boolean;

  constructor(loose: boolean) {
    this.#loose = loose;
  }

  copy(source: JsonValue | undefined, depth: number): Copied {
    if (typeof source === 'boolean') return { schema: source, weak: false };
    if (!isJsonObject(source)) throw new UnusableSchema('a part of it is neither an object nor a boolean');
    this.size += 1;
    if (this.size > largest) throw new UnusableSchema(`it has more than ${largest} parts`);
    if (depth > deepest) throw new UnusableSchema(`it is nested deeper than ${deepest}`);
    const copied: Record<string, JsonValue> = {};
    let weak = false;
    for (const [keyword, value] of Object.entries(source)) {
      if (value !== undefined) weak = this.#keyword(copied, keyword, value, depth, source) || weak;
    }
    return { schema: copied, weak };
  }

  /** Copies one keyword and says whether the schema got weaker by it. */
  #keyword(
    copied: Record<string, JsonValue>,
    keyword: string,
    value: JsonValue,
    depth: number,
    all: JsonObject,
  ): boolean {
    if (plainKeywords.has(keyword)) {
      copied[keyword] = value;
      this.#countNames(keyword, value);
      if (keyword === 'uniqueItems' && value === true) this.hasUniqueItems = true;
      return false;
    }
    if (leftOut.has(keyword)) return true;
    if (keyword === '$ref') return this.#reference(copied, value);
    if (listKeywords.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
      const items = this.#list(value, depth);
      copied[keyword] = items.map(({ schema }) => schema);
      return items.some(item => item.weak);
    }
    if (mapKeywords.has(keyword)) return this.#map(copied, keyword, value, depth);
    if (schemaKeywords.has(keyword)) {
      // Members that a left-out pattern allows are not to be refused as unknown.
      if (keyword === 'additionalProperties' && all['patternProperties'] !== undefined) return true;
      const { schema, weak } = this.copy(value, depth + 1);
      copied[keyword] = schema;
      return weak;
    }
    return this.#reversible(copied, keyword, value, depth, all);
  }

  /** Keywords that can refuse more where what they hold accepts more: kept only around what is copied whole. */
  #reversible(
    copied: Record<string, JsonValue>,
    keyword: string,
    value: JsonValue,
    depth: number,
    all: JsonObject,
  ): boolean {
    switch (keyword) {
      case 'oneOf': {
        const items = this.#list(value, depth);
        const weak = items.some(item => item.weak);
        const schemas = items.map(({ schema }) => schema);
        if (!weak) copied['oneOf'] = schemas;
        else copied['allOf'] = [...asList(copied['allOf']), { anyOf: schemas }];
        return weak;
      }
      case 'not': {
        const { schema, weak } = this.copy(value, depth + 1);
        if (!weak) copied['not'] = schema;
        return weak;
      }
      case 'if': {
        const condition = this.copy(value, depth + 1);
        if (condition.weak) return true;
        copied['if'] = condition.schema;
        const branches = (['then', 'else'] as const).map(branch => {
          if (all[branch] === undefined) return false;
          const { schema, weak } = this.copy(all[branch], depth + 1);
          copied[branch] = schema;
          return weak;
        });
        return branches.includes(true);
      }
      case 'contains': {
        const { schema, weak } = this.copy(value, depth + 1);
        if (weak) return true;
        copied['contains'] = schema;
        for (const bound of ['minContains', 'maxContains']) if (all[bound] !== undefined) copied[bound] = all[bound];
        return false;
      }
      case 'unevaluatedProperties':
      case 'unevaluatedItems': {
        if (this.#loose) return true;
        const { schema, weak } = this.copy(value, depth + 1);
        copied[keyword] = schema;
        return weak;
      }
      default:
        // A title, a format, an example, a keyword of the server's own: says nothing about validity.
        return false;
    }
  }

  /** Each name that must be there is a statement of its own to compile. */
  #countNames(keyword: string, value: JsonValue): void {
    const lists =
      keyword === 'required'
        ? [value]
        : keyword === 'dependentRequired' && isJsonObject(value)
          ? Object.values(value)
          : [];
    for (const list of lists) if (Array.isArray(list)) this.#names += 1 + list.length;
    if (this.#names > mostNames) throw new UnusableSchema(`it requires more than ${mostNames} names`);
  }

  #reference(copied: Record<string, JsonValue>, value: JsonValue): boolean {
    if (typeof value !== 'string' || !/^#(?:\/|$)/.test(value)) {
      throw new UnusableSchema('it refers to a schema elsewhere, and those are not fetched');
    }
    copied['$ref'] = value;
    return this.#loose;
  }

  #list(value: JsonValue, depth: number): Copied[] {
    if (!Array.isArray(value)) throw new UnusableSchema('a list of schemas in it is none');
    const items: readonly JsonValue[] = value;
    return items.map(item => this.copy(item, depth + 1));
  }

  #map(copied: Record<string, JsonValue>, keyword: string, value: JsonValue, depth: number): boolean {
    if (!isJsonObject(value)) throw new UnusableSchema(`its ${keyword} are no object`);
    const entries = Object.entries(value).map(([name, member]) => [name, this.copy(member, depth + 1)] as const);
    copied[keyword] = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
    return entries.some(([, { weak }]) => weak);
  }
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { cut } from '../lib/cut.ts';
import type { ArgumentsSize } from './argument-snapshot.ts';
import { type SafeSchema, UnusableSchema } from './schema-copy.ts';

/** How long a check may take, in steps: some hundred milliseconds at worst. */
const mostSteps = 5_000_000;
/** Comparing every item with every other. */
const mostUniqueValues = 3_000;

/** Says whether a value of some size can be checked against a schema in reasonable time: no server may stop us with one. */
export type Affordable = (size: ArgumentsSize) => boolean;

/** Looks at a schema once. Throws UnusableSchema where a reference leads nowhere. */
export function affordable({ schema, size, hasUniqueItems }: SafeSchema): Affordable {
  const { expanded, isRecursive, references } = measure(schema);
  return ({ values, depth }) => {
    if (hasUniqueItems && values > mostUniqueValues) return false;
    // A recursive schema may try all its references at each level of the value, and again below.
    const perValue = isRecursive ? size * Math.max(1, references) ** Math.min(depth, 64) : expanded;
    return perValue * values <= mostSteps;
  };
}

interface Measure {
  /** Parts to look at with every reference followed. */
  readonly expanded: number;
  readonly isRecursive: boolean;
  readonly references: number;
}

function measure(root: JsonObject): Measure {
  const known = new Map<JsonValue, number>();
  const open = new Set<JsonValue>();
  let isRecursive = false;
  let references = 0;

  function cost(node: JsonValue): number {
    if (typeof node !== 'object' || node === null) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node)) {
      isRecursive = true;
      return 1;
    }
    open.add(node);
    let sum = 1;
    for (const [keyword, member] of Object.entries(node)) {
      if (keyword === '$ref' && typeof member === 'string' && isJsonObject(node)) {
        references += 1;
        sum += cost(resolve(root, member));
      } else if (member !== undefined && keyword !== '$defs' && keyword !== 'definitions') {
        sum += cost(member as JsonValue);
      }
    }
    open.delete(node);
    const total = Math.min(sum, mostSteps * 2);
    known.set(node, total);
    return total;
  }

  return { expanded: cost(root), isRecursive, references };
}

function resolve(root: JsonObject, reference: string): JsonValue {
  let at: JsonValue | undefined = root;
  for (const part of reference.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) at = undefined;
    else at = (at as JsonObject)[name];
    if (at === undefined) throw new UnusableSchema(`its reference ${cut(reference, 100)} leads nowhere`);
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UnusableSchema('a reference in it is not written as one');
  }
}

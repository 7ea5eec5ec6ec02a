import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { textHolds } from './text-comparison.ts';
import { agreed, anyOf, asTruth, opposite, type Truth } from './truth.ts';

/** How a condition compares; the words a rule is written with. */
export const operators = ['=', '!=', '<', '<=', '>', '>=', 'startsWith', 'endsWith', 'contains', 'in'] as const;

/** One of the words of `operators`. */
export type Operator = (typeof operators)[number];

/** A value as it is written in a rule; a number keeps its text, because an argument may be the text of a number. */
export interface Literal {
  readonly text: string;
  readonly number: number | undefined;
}

/** One `path startsWith /srv/` of a rule. */
export interface Condition {
  /** Member names from the arguments' top down; lists on the way are gone through item by item. */
  readonly path: readonly string[];
  readonly negated: boolean;
  readonly operator: Operator;
  /** One value, or those of `in`. */
  readonly literals: readonly Literal[];
}

/**
 * Whether a condition holds for the arguments of a call. `unclear` where the argument is missing or of another type,
 * where only some items of a list agree, or where a path leads elsewhere than it says.
 */
export function conditionHolds(condition: Condition, args: JsonValue | undefined): Truth {
  const truth = holdsBelow(condition, args, 0);
  return condition.negated ? opposite(truth) : truth;
}

function holdsBelow(condition: Condition, value: JsonValue | undefined, depth: number): Truth {
  if (value === undefined) return 'unclear';
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const atTheEnd = depth === condition.path.length;
    if (atTheEnd && condition.operator === 'contains') return anyOf(items.map(item => isAmong(condition, item)));
    return agreed(items.map(item => holdsBelow(condition, item, depth)));
  }
  const name = condition.path[depth];
  if (name === undefined) return scalarHolds(condition, value);
  const inner = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return holdsBelow(condition, inner, depth + 1);
}

/** A list contains what is one of its items; an item that merely contains it leaves the matter unclear. */
function isAmong(condition: Condition, item: JsonValue): Truth {
  if (scalarHolds({ ...condition, operator: '=' }, item) === 'yes') return 'yes';
  return scalarHolds(condition, item) === 'no' ? 'no' : 'unclear';
}

function scalarHolds({ operator, literals }: Condition, value: JsonValue): Truth {
  const [literal] = literals;
  if (literal === undefined) return operator === 'in' ? 'no' : 'unclear';
  switch (operator) {
    case '=':
    case 'in':
      return anyOf(literals.map(one => equal(value, one)));
    case '!=':
      return opposite(equal(value, literal));
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return typeof value === 'string' ? textHolds(operator, value, literal.text) : 'unclear';
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (typeof value !== 'number' || literal.number === undefined) return 'unclear';
      return asTruth(compare(operator, value, literal.number));
  }
}

function equal(value: JsonValue, literal: Literal): Truth {
  if (typeof value === 'string') return textHolds('=', value, literal.text);
  if (typeof value === 'object' && value !== null) return 'unclear';
  if (typeof value === 'number' && literal.number !== undefined) return asTruth(value === literal.number);
  return asTruth(String(value) === literal.text);
}

function compare(operator: '<' | '<=' | '>' | '>=', value: number, bound: number): boolean {
  switch (operator) {
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
  }
}

import { exactNumber, isExactNumber, isSameNumber, numberOf } from '../../core/exact-json.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { type Effort, textHolds } from './text-comparison.ts';
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
export function conditionHolds(condition: Condition, args: JsonValue | undefined, effort: Effort): Truth {
  const truth = holdsBelow({ condition, effort }, args, 0);
  return condition.negated ? opposite(truth) : truth;
}

/** A condition that is being looked at. */
interface Look {
  readonly condition: Condition;
  readonly effort: Effort;
}

function holdsBelow(look: Look, value: JsonValue | undefined, depth: number): Truth {
  const { condition } = look;
  if (value === undefined) return 'unclear';
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const atTheEnd = depth === condition.path.length;
    if (atTheEnd && condition.operator === 'contains') return anyOf(items.map(item => isAmong(look, item)));
    return agreed(items.map(item => holdsBelow(look, item, depth)));
  }
  const name = condition.path[depth];
  if (name === undefined) return scalarHolds(look, value);
  const inner = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return holdsBelow(look, inner, depth + 1);
}

/** A list contains what is one of its items; an item that merely contains it leaves the matter unclear. */
function isAmong(look: Look, item: JsonValue): Truth {
  if (scalarHolds({ ...look, condition: { ...look.condition, operator: '=' } }, item) === 'yes') return 'yes';
  return scalarHolds(look, item) === 'no' ? 'no' : 'unclear';
}

function scalarHolds({ condition: { operator, literals }, effort }: Look, value: JsonValue): Truth {
  const [literal] = literals;
  if (literal === undefined) return operator === 'in' ? 'no' : 'unclear';
  switch (operator) {
    case '=':
    case 'in':
      return anyOf(literals.map(one => equal(value, one, effort)));
    case '!=':
      return opposite(equal(value, literal, effort));
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return typeof value === 'string' ? textHolds(operator, value, literal, effort) : 'unclear';
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, value, literal);
  }
}

function equal(value: JsonValue, literal: Literal, effort: Effort): Truth {
  if (typeof value === 'string') return textHolds('=', value, literal, effort);
  const number = isExactNumber(value) ? Number(value.rawJSON) : value;
  if (typeof number === 'object' && number !== null) return 'unclear';
  if (typeof number === 'number' && literal.number !== undefined) {
    if (isSame(value, literal)) return 'yes';
    // To a server that reads doubles they are the same all the same.
    return number === literal.number ? 'unclear' : 'no';
  }
  return asTruth(String(number) === literal.text);
}

function ordered(operator: '<' | '<=' | '>' | '>=', value: JsonValue, literal: Literal): Truth {
  const number = numberOf(value);
  if (number === undefined || literal.number === undefined) return 'unclear';
  if (number === literal.number && !isSame(value, literal)) return 'unclear';
  return asTruth(compare(operator, number, literal.number));
}

/** The same number as it is written, beyond what a double can tell apart. */
function isSame(value: JsonValue, { text, number }: Literal): boolean {
  const given = typeof value === 'number' ? value : isExactNumber(value) ? value : undefined;
  if (given === undefined || number === undefined) return false;
  const isJson = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  return isSameNumber(given, isJson ? exactNumber(text) : number);
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

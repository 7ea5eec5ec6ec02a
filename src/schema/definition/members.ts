import { isJsonObject, type JsonValue } from '../../core/json.ts';

/**
 * One member of a definition: gives what of the value is of the protocol's form, the value itself where all of it is, or
 * undefined where nothing is. Changes inside it are noted by their paths.
 */
export type Member = (value: JsonValue, notes: Notes) => JsonValue | undefined;

/** Which places of a definition were changed; paths with dots, as `annotations.priority`. */
export class Notes {
  readonly paths: string[] = [];
  readonly #at: string[] = [];

  /** Reads a member, and notes it if nothing of it was kept. */
  member(name: string, value: JsonValue, read: Member): JsonValue | undefined {
    const before = this.paths.length;
    this.#at.push(name);
    const kept = read(value, this);
    if (kept === undefined) {
      this.paths.length = before;
      this.changed();
    }
    this.#at.pop();
    return kept;
  }

  /** Notes the place that is being read. */
  changed(): void {
    this.paths.push(this.#at.join('.'));
  }
}

export const text: Member = value => (typeof value === 'string' ? value : undefined);

export const flag: Member = value => (typeof value === 'boolean' ? value : undefined);

/** Whatever is an object. Servers whose language has one type for both write an empty one as `[]`. */
export const anyObject: Member = value => {
  if (isJsonObject(value)) return value;
  return Array.isArray(value) && value.length === 0 ? {} : undefined;
};

/** One of some words. */
export function oneOf(...words: readonly string[]): Member {
  return value => (typeof value === 'string' && words.includes(value) ? value : undefined);
}

/** A list, of which the items that are right are kept; none where no item is. */
export function listOf(item: Member): Member {
  return (value, notes) => {
    if (!Array.isArray(value)) return undefined;
    const items = value as readonly JsonValue[];
    const kept = items.map((one, index) => notes.member(String(index), one, item));
    if (kept.every((one, index) => one === items[index])) return value;
    const left = kept.filter(one => one !== undefined);
    return left.length === 0 ? undefined : left;
  };
}

/**
 * An object of which these members are known; others are kept as they are. An optional member that is null is absent. None
 * where a required one is missing.
 */
export function shape(members: Readonly<Record<string, Member>>, required: readonly string[] = []): Member {
  return (value, notes) => {
    const object = anyObject(value, notes);
    if (!isJsonObject(object)) return undefined;
    let kept = object;
    for (const [name, read] of Object.entries(members)) {
      const member = Object.hasOwn(object, name) ? object[name] : undefined;
      if (member === undefined) continue;
      const right = member === null ? undefined : notes.member(name, member, read);
      if (right === member) continue;
      const { [name]: _, ...others } = kept;
      kept = right === undefined ? others : replaced(kept, name, right);
    }
    return required.every(name => kept[name] !== undefined) ? kept : undefined;
  };
}

/** The object with another value for one of its members, in the same order. */
function replaced<Value extends object>(object: Value, name: string, value: JsonValue): Value {
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [key, key === name ? value : member]),
  ) as Value;
}

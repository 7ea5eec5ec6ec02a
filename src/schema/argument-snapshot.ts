import { type ExactNumber, isExactNumber } from '../core/exact-json.ts';
import { type Digest, sha256 } from '../core/ids.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../core/json.ts';
import { cut } from '../lib/cut.ts';

/** The arguments of a call as they were when it came in: what is decided about, shown, recorded and sent is this copy. */
export type Received =
  | Snapshot
  | { readonly problem: string; readonly args: undefined; readonly argsDigest: undefined };

/** Arguments that are plain JSON within the limits. */
export interface Snapshot {
  readonly args: JsonObject;
  /** Of the canonical JSON: equal arguments have equal digests. */
  readonly argsDigest: Digest;
  readonly size: ArgumentsSize;
}

/** How much there is to look at. */
export interface ArgumentsSize {
  readonly values: number;
  readonly depth: number;
}

/** What arguments may be at most: nothing that a person could not have meant. */
export const argumentLimits = { depth: 64, values: 200_000, text: 4 * 1024 * 1024 } as const;

/** Copies and freezes arguments, so that nobody changes them between decision and call. Never throws. */
export function received(value: unknown): Received {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('arguments are one JSON object');
  }
  const copier = new Copier();
  try {
    const args = copier.copy(value, 1, '') as JsonObject;
    return { args, argsDigest: sha256(canonicalJson(args)), size: { values: copier.values, depth: copier.depth } };
  } catch (error) {
    // A getter or proxy of the caller's may throw anything; what cannot be read is no JSON.
    return unreadable(error instanceof NotJson ? error.message : 'arguments must be plain JSON');
  }
}

function unreadable(problem: string): Received {
  return { problem, args: undefined, argsDigest: undefined };
}

class NotJson extends Error {}

class Copier {
  values = 0;
  depth = 0;

  copy(value: unknown, depth: number, path: string): JsonValue | undefined {
    this.values += 1;
    this.depth = Math.max(this.depth, depth);
    if (this.values > argumentLimits.values)
      throw new NotJson(`arguments have more than ${argumentLimits.values} values`);
    if (depth > argumentLimits.depth) throw new NotJson(`arguments are nested deeper than ${argumentLimits.depth}`);
    switch (typeof value) {
      case 'string':
        if (value.length > argumentLimits.text) {
          throw new NotJson(`${place(path)} is longer than ${argumentLimits.text} characters`);
        }
        return value;
      case 'boolean':
        return value;
      case 'number':
        if (!Number.isFinite(value)) throw new NotJson(`${place(path)} is ${value}, which JSON does not have`);
        return value;
      case 'object':
        if (value === null || isExactNumber(value)) return this.#plainOrExact(value, path);
        return this.#copyObject(value, depth, path);
      case 'undefined':
      case 'bigint':
      case 'symbol':
      case 'function':
        throw new NotJson(`${place(path)} is a ${typeof value}, which JSON does not have`);
    }
  }

  /** A number that keeps its text is frozen by its nature; `JSON.rawJSON` makes other values, too. */
  #plainOrExact(value: ExactNumber | null, path: string): JsonValue {
    if (value === null) return null;
    if (!/^-?\d/.test(value.rawJSON)) throw new NotJson(`${place(path)} is not plain JSON`);
    return value as unknown as JsonValue;
  }

  #copyObject(value: object, depth: number, path: string): JsonValue {
    if (Array.isArray(value)) {
      return this.#copyList(value, depth, path);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new NotJson(`${place(path)} is not a plain object`);
    const members: [string, JsonValue | undefined][] = [];
    for (const [name, member] of Object.entries(value)) {
      // An absent member, as JSON.stringify treats it.
      if (member === undefined) continue;
      members.push([name, this.copy(member, depth + 1, `${path}/${name}`)]);
    }
    return Object.freeze(Object.fromEntries(members));
  }

  /** By its items and nothing else: a list of the caller's may have a `map` of its own, which could give back what stays changeable (S16). */
  #copyList(list: readonly unknown[], depth: number, path: string): JsonValue {
    const { length } = list;
    if (length > argumentLimits.values) throw new NotJson(`arguments have more than ${argumentLimits.values} values`);
    const items: JsonValue[] = [];
    for (let index = 0; index < length; index += 1) {
      items.push(this.copy(index in list ? list[index] : null, depth + 1, `${path}/${index}`) ?? null);
    }
    return Object.freeze(items);
  }
}

function place(path: string): string {
  return path === '' ? 'the whole' : cut(path, 200);
}

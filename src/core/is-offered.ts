import { isJsonObject } from './json.ts';

/** True for a capability that a peer has: an object, as the protocol writes it, or what some languages make of an empty one. */
export function isOffered(value: unknown): boolean {
  return value === true || isJsonObject(value) || (Array.isArray(value) && value.length === 0);
}

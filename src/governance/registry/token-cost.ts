import type { JsonValue } from '../../core/json.ts';
import type { Definition } from '../../core/words.ts';

const bytesPerToken = 4;

/** Definitions are values, and are asked about with every list. */
const known = new WeakMap<Definition, number>();

/**
 * About how many tokens a tool takes of a model's context for as long as it is listed: the bytes of the compact JSON of
 * its name, title, description and input schema, which is what clients put before a model, divided by four and rounded up.
 * An estimate: models count differently, by a fifth or so.
 */
export function tokenCost(definition: Definition): number {
  let cost = known.get(definition);
  if (cost === undefined) {
    const { name, title, description, inputSchema } = definition;
    const shown: Readonly<Record<string, JsonValue | undefined>> = { name, title, description, inputSchema };
    cost = Math.ceil(Buffer.byteLength(JSON.stringify(shown)) / bytesPerToken);
    known.set(definition, cost);
  }
  return cost;
}

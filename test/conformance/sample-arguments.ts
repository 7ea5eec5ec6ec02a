import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json.ts';
import type { Definition } from '../../src/core/words.ts';

/**
 * Arguments that a tool's own schema accepts: a value for each property that it requires. A required object is the
 * schema of the first other tool, which is what the scenario on schema preservation wants to see again.
 */
export function sampleArguments(tool: Definition, all: readonly Definition[]): JsonObject {
  const schema = isJsonObject(tool['inputSchema']) ? tool['inputSchema'] : {};
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const another = all.find(({ name }) => name !== tool.name)?.['inputSchema'];
  const sample = (type: unknown): JsonValue => {
    if (type === 'number' || type === 'integer') return 3;
    if (type === 'boolean') return true;
    if (type === 'array') return [];
    if (type === 'object') return isJsonObject(another) ? another : {};
    return 'text';
  };
  return Object.fromEntries(
    required
      .filter(name => typeof name === 'string')
      .map(name => [name, sample((properties[name] as JsonObject | undefined)?.['type'])]),
  );
}

import type { ToolView } from '../../client/api-types.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** One thing that may be typed next. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** The first word of a call: servers as `key.` until there is a dot, then that server's tools. */
export function toolCandidates(typed: string, tools: readonly ToolView[]): readonly Candidate[] {
  if (typed.includes('.')) {
    return tools.map(({ server, tool, definition }) => candidate(`${server}.${tool}`, definition['description']));
  }
  return [...new Set(tools.map(({ server }) => `${server}.`))].map(value => ({ value }));
}

/** The arguments of a tool that are not given yet, as `name=`; for one with a list of values, each of them. */
export function argumentCandidates(typed: string, given: readonly string[], tool: ToolView): readonly Candidate[] {
  const schema = tool.definition['inputSchema'];
  const properties = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
  const at = typed.indexOf('=');
  if (at >= 0) {
    const name = typed.slice(0, at);
    return valuesOf(properties[name]).map(value => ({ value: `${name}=${value}` }));
  }
  const taken = new Set(given.map(word => word.slice(0, Math.max(0, word.indexOf('=')))));
  return Object.entries(properties).flatMap(([name, property]) =>
    taken.has(name) ? [] : [candidate(`${name}=`, isJsonObject(property) ? property['description'] : undefined)],
  );
}

/** The tool that the first word of a call names exactly. */
export function namedTool(name: string | undefined, tools: readonly ToolView[]): ToolView | undefined {
  return tools.find(tool => tool.name === name || `${tool.server}.${tool.tool}` === name);
}

/** A candidate with the first line of its description. */
export function candidate(value: string, description: JsonValue | undefined): Candidate {
  const [line = ''] = typeof description === 'string' ? description.trim().split('\n') : [];
  return line === '' ? { value } : { value, description: line };
}

function valuesOf(property: JsonValue | JsonObject | undefined): readonly string[] {
  if (!isJsonObject(property)) return [];
  const { enum: values, type } = property;
  if (Array.isArray(values)) return values.filter(value => typeof value !== 'object').map(String);
  return type === 'boolean' ? ['true', 'false'] : [];
}

/**
 * The lines that answer a shell: what begins with what is typed, sorted, each with its description. What would break
 * the line (a tab or a line break in a name that a server chose) is not offered.
 */
export function candidateLines(typed: string, found: readonly Candidate[]): string {
  const fitting = found.filter(({ value }) => value.startsWith(typed) && !/\p{Cc}/u.test(value));
  return fitting
    .toSorted((a, b) => (a.value < b.value ? -1 : 1))
    .map(({ value, description }) =>
      description === undefined ? `${value}\n` : `${value}\t${description.replaceAll(/\p{Cc}+/gu, ' ')}\n`,
    )
    .join('');
}

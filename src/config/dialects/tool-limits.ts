import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Warn } from './types.ts';

const allowing = ['includeTools', 'enabled_tools', 'available_tools', 'allowedTools'] as const;
const denying = ['excludeTools', 'disabledTools', 'disabled_tools', 'deniedTools'] as const;
export const toolFields: readonly string[] = ['tools', ...allowing, ...denying];

/** Which of a server's tools a file lets be used; consent that was given in another client is not among it. */
export function toolLimits(
  entry: JsonObject,
  warn: Warn,
): { readonly allowedTools?: readonly string[]; readonly deniedTools?: readonly string[] } {
  const { tools } = entry;
  const allowed = [Array.isArray(tools) ? tools : undefined, ...allowing.map(field => entry[field])];
  const denied = denying.flatMap(field => namesOf(entry[field]) ?? []);
  if (isJsonObject(tools)) {
    const switches = Object.entries(tools).filter((pair): pair is [string, JsonObject] => isJsonObject(pair[1]));
    denied.push(...switches.filter(([, set]) => set['enabled'] === false).map(([name]) => name));
    if (switches.some(([, set]) => set['approval_mode'] !== undefined)) warn('approval-dropped', 'tools');
  }
  const names = allowed.map(namesOf).find(list => list !== undefined);
  const isAll = names?.includes('*') ?? true;
  return {
    ...(!isAll && names && { allowedTools: names }),
    ...(denied.length > 0 && { deniedTools: [...new Set(denied)] }),
  };
}

/** Tools by their names, or by objects with a name; undefined for what is no list. */
function namesOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value.map((item: JsonValue) => (isJsonObject(item) ? item['name'] : item));
  return names.filter(name => typeof name === 'string');
}

import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** One place at which two definitions differ. */
export interface Difference {
  /** Member names from the top, joined by dots, e.g. `inputSchema.properties.path.type`. */
  readonly path: string;
  /** Absent where the place is new. */
  readonly before?: JsonValue;
  /** Absent where the place is gone. */
  readonly after?: JsonValue;
}

const most = 50;

/** Where two definitions differ, each place once and as deep as it goes; the first fifty. */
export function definitionDifference(before: JsonObject, after: JsonObject): readonly Difference[] {
  return differences(before, after, '').slice(0, most);
}

function differences(before: JsonObject, after: JsonObject, above: string): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap(name => {
    const path = above === '' ? name : `${above}.${name}`;
    const [old, now] = [before[name], after[name]];
    if (isJsonObject(old) && isJsonObject(now)) return differences(old, now, path);
    if (old !== undefined && now !== undefined && canonicalJson(old) === canonicalJson(now)) return [];
    if (old === undefined && now === undefined) return [];
    return [{ path, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }];
  });
}

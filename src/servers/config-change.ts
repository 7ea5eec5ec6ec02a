import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

/** The fields whose members may hold secrets. */
const keyed = ['env', 'headers'] as const;

/** A saved config as it may be shown: of variables and headers only that they are set. */
export function shownConfig(config: JsonObject): JsonObject {
  const masked = keyed.flatMap(field => {
    const members = config[field];
    if (!isJsonObject(members)) return [];
    return [[field, Object.fromEntries(Object.keys(members).map(name => [name, { set: true }]))]];
  });
  return { ...config, ...Object.fromEntries(masked) };
}

/**
 * A saved config with a change: a field that is absent keeps its value (or with `whole` goes), `null` takes it away, and
 * of variables and headers those given as `{ set: true }` keep theirs (those not given go). A new endpoint takes the place
 * of the command and the other way round. Throws `bad-config` for a value that is to be kept and is not there.
 */
export function changedConfig(saved: JsonObject, change: JsonObject, whole = false): JsonObject {
  const { url, ...said } = change;
  const wanted: JsonObject = url === undefined || said['endpoint'] !== undefined ? said : { ...said, endpoint: url };
  const kept: JsonObject = whole ? { name: saved['name'] } : { ...saved, ...withoutOther(wanted) };
  const merged: Record<string, JsonValue | undefined> = { ...kept, ...wanted };
  for (const field of keyed) {
    const members = wanted[field];
    if (isJsonObject(members)) merged[field] = keptMembers(field, members, saved[field]);
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== undefined));
}

/** A server is reached in one way: what belongs to the other one goes, unless it is said as well. */
function withoutOther(wanted: JsonObject): JsonObject {
  const isSaid = (field: string) => typeof wanted[field] === 'string' && wanted[field] !== '';
  if (isSaid('endpoint') && !isSaid('command')) return { command: null, args: null, cwd: null, transport: null };
  if (isSaid('command') && !isSaid('endpoint')) return { endpoint: null, headers: null, transport: null };
  return {};
}

function keptMembers(field: string, members: JsonObject, saved: JsonValue | undefined): JsonObject {
  const before = isJsonObject(saved) ? saved : {};
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (!isJsonObject(value) || value['set'] !== true) return [name, value];
      if (Object.hasOwn(before, name)) return [name, before[name]];
      throw new LongshoreError('bad-config', `${field}.${name} is to keep its value, but none is saved. Give one.`, {
        data: { problems: [{ path: `${field}.${name}`, message: 'has no saved value' }] },
      });
    }),
  );
}

import type { JsonObject, JsonValue } from '../core/json.ts';
import { anyObject, type Member, Notes, shape } from '../schema/definition/members.ts';

/** A member whose value is nobody's business but the client's; only null stands for absent. */
const optional: Member = value => value;

/** An object, of which an empty one may have been written as `[]`. */
const emptyObject: Member = (value, notes) => anyObject(value, notes) ?? value;

function of(members: Readonly<Record<string, Member>>): Member {
  const read = shape({ _meta: emptyObject, ...members });
  return (value, notes) => (typeof value === 'object' && !Array.isArray(value) ? (read(value, notes) ?? value) : value);
}

function each(item: Member): Member {
  return (value, notes) => {
    if (!Array.isArray(value)) return value;
    const items = value as readonly JsonValue[];
    const kept = items.map(one => item(one, notes) ?? one);
    return kept.every((one, index) => one === items[index]) ? value : kept;
  };
}

const contents = of({ mimeType: optional, text: optional, blob: optional });
const block = of({
  ...{ annotations: emptyObject, mimeType: optional, title: optional, description: optional, size: optional },
  ...{ icons: optional, resource: contents },
});
const result = of({
  ...{ content: each(block), contents: each(contents), isError: optional, resultType: optional, description: optional },
  messages: each(of({ content: block })),
  completion: of({ total: optional, hasMore: optional }),
});

/**
 * A result with null for absent and `[]` for an empty object put right, where the protocol has an optional member or an
 * object; the value itself where there are none. Everything else stays as it came.
 */
export function tidyResult(value: JsonObject): JsonObject {
  const whole = value.content === null ? { ...value, content: [] } : value;
  return result(whole, new Notes()) as JsonObject;
}

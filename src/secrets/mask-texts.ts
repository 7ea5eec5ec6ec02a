import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { Redactor } from './redact.ts';

/**
 * A value with every text in it masked, whatever its members are called: for what is ours to say and may quote a server.
 * Unlike `redactor.json`, a member named `secret` that holds a secret's name keeps it.
 */
export function maskTexts<Value extends JsonValue>(value: Value, redactor: Pick<Redactor, 'text'>): Value {
  return masked(value, redactor) as Value;
}

function masked(value: JsonValue, redactor: Pick<Redactor, 'text'>): JsonValue {
  if (typeof value === 'string') return redactor.text(value);
  if (Array.isArray(value)) return value.map(item => masked(item as JsonValue, redactor));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, masked(member, redactor)]])),
  );
}

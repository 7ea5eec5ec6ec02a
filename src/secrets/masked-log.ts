import type { Log } from '../core/ports/log.ts';
import type { Redactor } from './redact.ts';

/** Deeper than that nothing is said. */
const deepest = 8;

/** The log with every secret masked that is known by then (S15), in sentences, fields and errors with their causes. */
export function maskedLog(log: Log, redactor: Pick<Redactor, 'text'>): Log {
  const masked = (fields: object): object => maskedValue(fields, redactor, 0) as object;
  return {
    debug: (fields, message) => log.debug(masked(fields), redactor.text(message)),
    info: (fields, message) => log.info(masked(fields), redactor.text(message)),
    warn: (fields, message) => log.warn(masked(fields), redactor.text(message)),
    error: (fields, message) => log.error(masked(fields), redactor.text(message)),
  };
}

function maskedValue(value: unknown, redactor: Pick<Redactor, 'text'>, depth: number): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '…';
  const inner = (member: unknown) => maskedValue(member, redactor, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  const own = Object.entries(value).map(([name, member]) => [redactor.text(name), inner(member)]);
  if (!(value instanceof Error)) return Object.fromEntries(own);
  const { name, message, stack, cause } = value;
  const error = new Error(redactor.text(message), cause === undefined ? {} : { cause: inner(cause) });
  return Object.assign(error, Object.fromEntries(own), { name, stack: redactor.text(stack ?? '') });
}

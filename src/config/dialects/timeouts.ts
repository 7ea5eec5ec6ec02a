import type { JsonObject } from '../../core/json.ts';
import type { Dialect, Warn } from './types.ts';

/** Fields whose names say their unit, and which of the two time-outs they are. */
const known: Readonly<Record<string, readonly ['call' | 'start', number]>> = {
  tool_timeout_sec: ['call', 1_000],
  read_timeout_seconds: ['call', 1_000],
  callTimeoutMs: ['call', 1],
  startTimeoutMs: ['start', 1],
  startup_timeout_sec: ['start', 1_000],
  startup_timeout_ms: ['start', 1],
  initTimeout: ['start', 1],
};

export const timeoutFields: readonly string[] = ['timeout', ...Object.keys(known)];

/** The time-outs of an entry in milliseconds; what is no number, or shorter than a second, is not taken over. */
export function timeoutsOf(
  entry: JsonObject,
  dialect: Dialect,
  warn: Warn,
): { readonly callTimeoutMs?: number; readonly startTimeoutMs?: number } {
  const times: { call?: number; start?: number } = {};
  const plain = number(entry['timeout'], 'timeout', warn);
  if (plain !== undefined) {
    const { timeout } = dialect;
    if (timeout === undefined) warn('timeout-unit-guessed', 'timeout');
    const isSeconds = timeout === 'seconds' || (timeout === undefined && plain < 1_000);
    keep('call', plain * (isSeconds ? 1_000 : 1), 'timeout');
  }
  for (const [field, [which, factor]] of Object.entries(known)) {
    const value = number(entry[field], field, warn);
    if (value !== undefined) keep(which, value * factor, field);
  }
  return {
    ...(times.call !== undefined && { callTimeoutMs: times.call }),
    ...(times.start !== undefined && { startTimeoutMs: times.start }),
  };

  function keep(which: 'call' | 'start', milliseconds: number, field: string): void {
    const isShort = milliseconds < 1_000;
    if (isShort || milliseconds > 3_600_000) warn('timeout-unit-suspect', field);
    if (!isShort && milliseconds <= 2_147_483_647) times[which] = milliseconds;
  }
}

function number(value: unknown, field: string, warn: Warn): number | undefined {
  if (value === undefined || value === null) return undefined;
  const read =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (Number.isFinite(read) && read > 0) return read;
  warn('timeout-dropped', field);
  return undefined;
}

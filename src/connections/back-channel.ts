import { LongshoreError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';

/** How the SDKs word it: Python ("no back-channel for server-initiated requests"), TypeScript ("Server-to-client requests are not available on protocol revision"). */
const refusal = /\bback-?channel\b|\bserver-(?:to-client|initiated) requests?\b/i;

/** True for the outcome of a call, a result or an error, that says that the server could not ask its client. */
export function wantsToPush(outcome: unknown): boolean {
  if (outcome instanceof LongshoreError) return outcome.code === 'server-error' && refusal.test(outcome.message);
  if (!isJsonObject(outcome) || outcome['isError'] !== true || !Array.isArray(outcome['content'])) return false;
  return outcome['content'].some(
    block => isJsonObject(block) && typeof block.text === 'string' && refusal.test(block.text),
  );
}

import { asLongshoreError } from '../core/errors.ts';
import type { Terminal } from './terminal.ts';

/**
 * Tells a failure on stderr, as a sentence or with `--json` as one line `{"error":{"code","message",…}}`, and gives the
 * exit code of the error table.
 */
export async function tellFailure(error: unknown, json: boolean, terminal: Terminal): Promise<number> {
  const failure = asLongshoreError(error);
  if (json) {
    const { code, message, data } = failure;
    await terminal.err(`${JSON.stringify({ error: { code, message, ...(data && { data }) } })}\n`);
  } else {
    await terminal.err(`longshore: ${failure.message}\n`);
    if (failure.code === 'internal' && failure.cause instanceof Error) await terminal.err(`${failure.cause.stack}\n`);
  }
  return failure.row.exit;
}

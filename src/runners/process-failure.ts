import type { Clock } from '../core/clock.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Child } from './child.ts';
import type { Exit } from './runner.ts';

const shownLines = 5;
const keptLines = 20;
/** Milliseconds that an exit may lag behind the end of a pipe. */
const exitLag = 500;

/** Why a start failed, with what the server said on stderr: the last lines in the message, more in `data.stderr`. */
export async function startFailure(
  error: unknown,
  child: Child,
  { name, clock }: { readonly name: string; readonly clock: Clock },
): Promise<LongshoreError> {
  const cause = asLongshoreError(error);
  if (cause.code === 'cancelled') return cause;
  if (cause.code === 'connection-lost') {
    const exit = await Promise.race([child.exited, clock.sleep(exitLag).then(() => undefined)]);
    await child.stderr.drained();
    const what = exit === undefined ? 'closed its stdout' : howItEnded(exit);
    const data = exit === undefined ? {} : { exit: { ...exit } };
    return withTail('failed-to-start', `${name} ${what} before it answered.`, child, cause, data);
  }
  if (cause.code === 'timeout') {
    const message = `${cause.message} The process is up; it may be waiting for something, or its stdin may not reach it.`;
    return withTail('timeout', message, child, cause);
  }
  return withTail(cause.code, cause.message, child, cause);
}

/** "exited with code 3", "was ended by SIGKILL". */
export function howItEnded(exit: Exit): string {
  switch (exit.how) {
    case 'exited':
      return `exited with code ${exit.code}`;
    case 'signalled':
      return `was ended by ${exit.signal}`;
    case 'closed':
      return 'closed its connection';
  }
}

function withTail(
  code: LongshoreError['code'],
  message: string,
  child: Child,
  cause: LongshoreError,
  data: JsonObject = {},
): LongshoreError {
  const lines = child.stderr.tail();
  const last = lines.slice(-shownLines).map(line => `\n  ${line}`);
  const said = last.length === 0 ? ' It wrote nothing to stderr.' : ` Its stderr ends with:${last.join('')}`;
  return new LongshoreError(code, message + said, {
    cause,
    data: { ...cause.data, ...data, stderr: lines.slice(-keptLines) },
  });
}

import type { Clock } from '../core/clock.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Child } from './child.ts';
import type { Exit } from './runner.ts';
import { isHopeless, tellingLines } from './telling-lines.ts';

/** Milliseconds that an exit may lag behind the end of a pipe. */
const exitLag = 500;

/** Why a start failed, with what the server said on stderr: the telling lines in the message, all of it in `data.stderr`. */
export async function startFailure(
  error: unknown,
  child: Child,
  { name, clock, notes = [] }: { readonly name: string; readonly clock: Clock; readonly notes?: readonly string[] },
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
    const message = `${cause.message} The process runs; it may be waiting for something, or its stdin may not reach it.${notes.map(note => ` ${note}`).join('')}`;
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
  const telling = tellingLines(lines).map(line => `\n  ${line}`);
  const said = telling.length === 0 ? ' It wrote nothing to stderr.' : ` On stderr it says:${telling.join('')}`;
  const final = data['exit'] !== undefined && isHopeless(lines) && { final: true };
  return new LongshoreError(code, message + said, {
    cause,
    data: { ...cause.data, ...data, ...final, stderr: lines },
  });
}

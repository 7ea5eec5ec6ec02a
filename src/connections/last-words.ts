import type { Opened } from '../runners/runner.ts';
import { tellingLine } from '../runners/telling-lines.ts';

/** Milliseconds between the end of a wire and that of its process, so that the reason can name the exit code. */
const grace = 50;

/** How the process or container of a server came to its end, with the line on stderr that says why; `undefined` if it did not. */
export async function lastWordsOf(opened: Pick<Opened, 'exited' | 'stderrTail'>): Promise<string | undefined> {
  const alive = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => alive.resolve(undefined), grace);
  const exit = await Promise.race([opened.exited, alive.promise]);
  clearTimeout(timer);
  if (exit === undefined || exit.how === 'closed') return undefined;
  const how = exit.how === 'exited' ? `exited with code ${exit.code}` : `was ended by ${exit.signal}`;
  const said = tellingLine(opened.stderrTail());
  return `The server ${how}.${said === undefined ? '' : ` On stderr it says: ${said}`}`;
}

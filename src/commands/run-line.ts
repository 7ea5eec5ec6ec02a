import { LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import { bind, type Command, findCommand } from './command.ts';
import { type Envelope, failedWith } from './envelope.ts';
import { readCommandLine } from './grammar.ts';

/**
 * Runs one line, as the console, `POST /api/commands` and an agent host's chat give it. Never rejects: whatever goes
 * wrong is an envelope, and what is wrong with the line itself is one before anything was done (R28).
 */
export async function runLine<Context>(
  table: readonly Command<Context>[],
  line: string,
  context: Context,
  log: Log,
  signal: AbortSignal,
): Promise<Envelope> {
  try {
    const read = readCommandLine(line);
    const one = findCommand(table, read);
    return await one.run(context, bind(one, read), signal);
  } catch (error) {
    if (!(error instanceof LongshoreError) || error.code === 'internal') {
      log.error({ err: error }, 'A command failed by a mistake of ours.');
    }
    return failedWith(error);
  }
}

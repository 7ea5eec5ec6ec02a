import { CommanderError } from '@commander-js/extra-typings';
import { LongshoreError } from '../core/errors.ts';
import { tellFailure } from './failure.ts';
import { followLauncher } from './lifeline.ts';
import { program } from './program.ts';
import { splitCommand } from './split-command.ts';
import { processTerminal, ReaderGone, type Terminal } from './terminal.ts';

followLauncher(process.env);
// The launcher requires this module, so it must not wait at the top; a rejection ends the process with its stack.
void main(process.argv.slice(2), processTerminal()).then(code => {
  process.exitCode = code;
});

/** Runs one command line and gives its exit code (docs/errors.md). */
async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { own, command } = splitCommand(argv);
  let code = 0;
  const exit = (value: number) => {
    code = value;
  };
  const json = own.includes('--json');
  try {
    const root = await program(own, { terminal, command, exit });
    await root.parseAsync([...own], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof ReaderGone) return code;
    if (!(error instanceof CommanderError)) return await tellFailure(error, json, terminal);
    if (error.exitCode === 0) return 0;
    const failure = new LongshoreError('usage', usageMessage(error));
    // To a person commander has told its own errors by now.
    return json ? await tellFailure(failure, json, terminal) : failure.row.exit;
  }
}

function usageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing. See --help.';
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}

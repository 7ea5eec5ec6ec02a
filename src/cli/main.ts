import { CommanderError } from '@commander-js/extra-typings';
import { tellFailure } from './failure.ts';
import { followLauncher } from './lifeline.ts';
import { program } from './program.ts';
import { splitCommand } from './split-command.ts';
import { processTerminal, type Terminal } from './terminal.ts';

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
  try {
    const root = await program(own, { terminal, command, exit });
    await root.parseAsync([...own], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has told its own errors by now; its codes for wrong usage are our 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return await tellFailure(error, own.includes('--json'), terminal);
  }
}

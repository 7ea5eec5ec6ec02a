import type { Command } from '@commander-js/extra-typings';
import { Argument } from '@commander-js/extra-typings';
import { completionScript, completionShells } from '../completion/completion-script.ts';
import type { CommandContext } from '../program.ts';

/** `completion`: the script of a shell, to be evaluated by it. */
export function completionCommand(command: Command, context: CommandContext): void {
  command
    .addArgument(new Argument('<shell>').choices(completionShells))
    .action(async shell => await context.terminal.out(completionScript(shell)));
}

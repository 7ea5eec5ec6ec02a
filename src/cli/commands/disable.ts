import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../program.ts';
import { switchServer } from '../switch-server.ts';

/** `disable`: stops a saved server, which is then started by nothing. */
export function disableCommand(command: Command, context: CommandContext): void {
  switchServer(command, context, false);
}

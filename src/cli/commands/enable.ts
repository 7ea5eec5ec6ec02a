import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../program.ts';
import { switchServer } from '../switch-server.ts';

/** `enable`: a saved server may be started again. */
export function enableCommand(command: Command, context: CommandContext): void {
  switchServer(command, context, true);
}

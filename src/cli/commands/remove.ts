import type { Command } from '@commander-js/extra-typings';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** `remove`: stops a saved server and forgets it, once nothing of it is left. */
export function removeCommand(command: Command, context: CommandContext): void {
  askingService(command.argument('<name>', 'a saved server').option('--json', 'print JSON')).action(
    async (name, options) => {
      const client = await service(context, options);
      const answer = await client.ask('DELETE /api/mcp-servers/:ref', { params: { ref: name } });
      await printResult(context.terminal, options.json, answer, () => '');
      const stopped = answer.process_removed === true ? ', and nothing of it runs any more' : '';
      if (!options.json) await context.terminal.err(`Removed ${answer.name}${stopped}.\n`);
    },
  );
}

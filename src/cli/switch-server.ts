import type { Command } from '@commander-js/extra-typings';
import { printResult } from './print.ts';
import type { CommandContext } from './program.ts';
import { askingService, service } from './service-command.ts';

/** Gives `enable` and `disable` what they have in common. */
export function switchServer(command: Command, context: CommandContext, enabled: boolean): void {
  askingService(command.argument('<name>', 'a saved server').option('--json', 'print JSON')).action(
    async (name, options) => {
      const client = await service(context, options);
      const answer = await client.ask('PATCH /api/mcp-servers/:ref', { params: { ref: name }, body: { enabled } });
      await printResult(context.terminal, options.json, answer, () => '');
      if (!options.json) await context.terminal.err(`${enabled ? 'Enabled' : 'Disabled'} ${answer.name}.\n`);
    },
  );
}

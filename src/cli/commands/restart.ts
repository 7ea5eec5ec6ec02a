import type { Command } from '@commander-js/extra-typings';
import { tellLoad } from '../load-answer.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** `restart`: starts a server once more that failed, or that ended too often. */
export function restartCommand(command: Command, context: CommandContext): void {
  askingService(command.argument('<ref>', 'a server').option('--json', 'print JSON')).action(async (ref, options) => {
    const client = await service(context, options);
    await tellLoad(context, client, options.json, client.ask('POST /api/mcp/restart', { body: { ref } }));
  });
}

import type { Command } from '@commander-js/extra-typings';
import { tellPartial } from '../load-answer.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** `unload`: stops a server and forgets that it was loaded, each part told by itself (R32, R60). */
export function unloadCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<ref>', 'a server: its name, its image, or an id that `list` shows')
    .option('--json', 'print JSON');
  askingService(own).action(async (ref, options) => {
    const { terminal } = context;
    const client = await service(context, options);
    const answer = await client.ask('POST /api/mcp/unload', { body: { ref } });
    await printResult(terminal, options.json, answer, () => '');
    if (!options.json) await terminal.err(`${answer.confirmation}\n`);
    await tellPartial(context, answer, options.json);
  });
}

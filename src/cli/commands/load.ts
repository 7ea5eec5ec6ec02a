import type { Command } from '@commander-js/extra-typings';
import { tellLoad } from '../load-answer.ts';
import type { CommandContext } from '../program.ts';
import { readServerFlags, withServerFlags } from '../server-flags.ts';
import { askingService, service } from '../service-command.ts';

/** `load`: starts a saved server or an image, and keeps it saved (R31). */
export function loadCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<ref>', "a saved server's name, or an image with its tag or folder, such as mcp/time")
    .usage('[options] REF [-- ARG...]')
    .option('--json', 'print JSON');
  askingService(withServerFlags(own)).action(async (ref, options) => {
    const client = await service(context, options);
    const args = context.command === undefined ? {} : { args: context.command };
    const work = client.ask('POST /api/mcp/load', { body: { ref, ...args, ...readServerFlags(options) } });
    await tellLoad(context, client, options.json, work);
  });
}

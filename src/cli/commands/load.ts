import type { Command } from '@commander-js/extra-typings';
import { collect } from '../collect.ts';
import { tellLoad } from '../load-answer.ts';
import { pairs } from '../pairs.ts';
import type { CommandContext } from '../program.ts';
import { readServerFlags, withServerFlags } from '../server-flags.ts';
import { askingService, service } from '../service-command.ts';

/** `load`: starts a saved server or an image, and keeps it saved (R31). */
export function loadCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument(
      '<ref>',
      "a saved server's name, an image with its tag or folder, such as mcp/time, or a name of a catalog",
    )
    .usage('[options] REF [-- ARG...]')
    .option('--set <key=value>', 'of a server of a catalog: one of its settings (may be repeated)', collect, [])
    .option('--json', 'print JSON');
  askingService(withServerFlags(own)).action(async (ref, options) => {
    const client = await service(context, options);
    const args = context.command === undefined ? {} : { args: context.command };
    const values = options.set.length === 0 ? {} : { values: pairs('--set', options.set) };
    const work = client.ask('POST /api/mcp/load', { body: { ref, ...args, ...values, ...readServerFlags(options) } });
    await tellLoad(context, client, options.json, work);
  });
}

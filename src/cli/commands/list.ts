import type { Command } from '@commander-js/extra-typings';
import { printStyled } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { renderServers } from '../render-servers.ts';
import { askingService, service } from '../service-command.ts';

/** `list`: every server and how it is, failed and saved ones included (R33). */
export function listCommand(command: Command, context: CommandContext): void {
  askingService(command.option('--json', 'print JSON')).action(async options => {
    const { terminal } = context;
    const client = await service(context, options);
    const answer = await client.ask('GET /api/mcp/status');
    await printStyled(terminal, options.json, answer, () => renderServers(answer, terminal));
    if (options.json || answer.servers.length > 0 || answer.legacy.length > 0) return;
    await terminal.err('There are no servers yet. Add one: longshore add NAME -- COMMAND ARGS…\n');
  });
}

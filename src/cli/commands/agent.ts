import type { Command } from '@commander-js/extra-typings';
import type { AgentView } from '../../client/api-types.ts';
import { printResult, printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';
import type { Column } from '../table.ts';

const columns: readonly Column<AgentView>[] = [
  { header: 'NAME', text: ({ name, isDefault }) => name ?? (isDefault ? '(default)' : '') },
  { header: 'SERVERS', align: 'right', text: ({ servers }) => String(servers) },
  { header: 'DID', text: ({ agentId }) => agentId },
];

/** `agent`: who owns servers and calls tools; agents never touch each other's. */
export function agentCommand(command: Command, context: CommandContext): void {
  const { terminal } = context;
  const add = command.command('add').description('make an agent').argument('<name>').option('--json', 'print JSON');
  askingService(add).action(async (name, options) => {
    const client = await service(context, options);
    const made = await client.ask('POST /api/agents', { body: { name } });
    await printResult(terminal, options.json, made, () => made.agentId);
    if (!options.json) await terminal.err(`Made ${name}. Use it with --agent ${name} on every command.\n`);
  });
  const list = command.command('ls').alias('list').description('list the agents').option('--json', 'print JSON');
  askingService(list).action(async options => {
    const client = await service(context, options);
    const agents = await client.ask('GET /api/agents');
    await printTable(terminal, options.json, agents, columns);
  });
}

import type { Command } from '@commander-js/extra-typings';
import type { ToolView } from '../../client/api-types.ts';
import { printTable } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { renderTools } from '../render-tools.ts';
import { askingService, service } from '../service-command.ts';
import type { Column } from '../table.ts';
import { withProgress } from '../with-progress.ts';

const columns: readonly Column<ToolView>[] = [
  { header: 'TOOL', text: ({ server, tool }) => `${server}.${tool}` },
  { header: 'TOKENS', align: 'right', text: ({ tokenCost }) => String(tokenCost) },
  {
    header: 'DESCRIPTION',
    shrinks: true,
    text: ({ definition: { description, title } }) => {
      const text = description ?? title;
      return typeof text === 'string' ? text.replaceAll(/\s+/g, ' ') : '';
    },
  },
];

/** `tools`: every tool that can be called, as a table or as signatures. */
export function toolsCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('[ref]', 'only those of this server')
    .option('--signatures', 'show the arguments of each')
    .option('--json', 'print JSON, definitions verbatim');
  askingService(own).action(async (ref, options) => {
    const { terminal } = context;
    const client = await service(context, options);
    const query = ref === undefined ? {} : { server: ref };
    const tools = await withProgress(client, terminal, client.ask('GET /api/tools', { query }));
    const none = ref === undefined ? 'No tools are known. See the servers: longshore list' : `${ref} has no tools.`;
    if (!options.signatures || options.json) {
      await printTable(terminal, options.json, tools, columns, none);
      if (!options.json && tools.length > 0) await terminal.err(`${costText(tools)}\n`);
      return;
    }
    const named = tools.map(({ server, tool, definition }) => ({ ...definition, name: `${server}.${tool}` }));
    await terminal.show(`${renderTools(named)}\n`);
  });
}

function costText(tools: readonly ToolView[]): string {
  const sum = tools.reduce((total, tool) => total + tool.tokenCost, 0);
  const what = tools.length === 1 ? '1 tool takes' : `${tools.length} tools take`;
  return `${what} about ${sum} tokens of a model's context where all are listed.`;
}

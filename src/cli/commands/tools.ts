import type { Command } from '@commander-js/extra-typings';
import type { ToolView } from '../../client/api-types.ts';
import type { CommandContext } from '../program.ts';
import { renderTools } from '../render-tools.ts';
import { askingService, printResult, service } from '../service-command.ts';
import { type Column, renderTable } from '../table.ts';
import { withProgress } from '../with-progress.ts';

const columns: readonly Column<ToolView>[] = [
  { header: 'TOOL', text: ({ server, tool }) => `${server}.${tool}` },
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
    const { colour, width } = terminal;
    await printResult(terminal, options.json, tools, () =>
      options.signatures
        ? renderTools(tools.map(({ server, tool, definition }) => ({ ...definition, name: `${server}.${tool}` })))
        : renderTable(tools, columns, { colour, ...(width !== undefined && { width }) }),
    );
    if (options.json || tools.length > 0) return;
    await terminal.err(
      ref === undefined ? 'No tools are known. See the servers: longshore list\n' : `${ref} has no tools.\n`,
    );
  });
}

import type { Command } from '@commander-js/extra-typings';
import { printCatalog } from '../catalog-table.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** `catalog`: every server that can be loaded by a name (R35). */
export function catalogCommand(command: Command, context: CommandContext): void {
  const own = command.option('--refresh', 'read the catalogs anew').option('--json', 'print JSON');
  askingService(own).action(async options => {
    const client = await service(context, options);
    const work = options.refresh
      ? client.ask('POST /api/mcp/catalog/refresh')
      : client.ask('GET /api/mcp/catalog', { query: {} });
    await printCatalog(context, client, options.json, work, 'The catalogs have no definitions.');
  });
}

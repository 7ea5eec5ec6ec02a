import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { printCatalog } from '../catalog-table.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
  throw new InvalidArgumentError('It is a whole number from 1 to 100.');
}

/** `search`: servers of the catalogs, by words (R34). */
export function searchCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<query...>', 'words of a name, description, tool or tag; misspelt ones find too')
    .option('--limit <count>', 'at most so many', readCount)
    .option('--json', 'print JSON');
  askingService(own).action(async (words, options) => {
    const q = words.join(' ');
    const client = await service(context, options);
    const work = client.ask('GET /api/mcp/catalog', {
      query: { q, ...(options.limit !== undefined && { limit: options.limit }) },
    });
    await printCatalog(context, client, options.json, work, `Nothing in the catalogs matches ${JSON.stringify(q)}.`);
  });
}

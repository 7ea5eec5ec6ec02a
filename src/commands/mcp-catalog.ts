import type { CatalogList } from '../catalog/catalogs.ts';
import { available, catalogResult } from './catalog-hits.ts';
import { command } from './command.ts';
import type { Envelope } from './envelope.ts';
import type { OperatorContext } from './operator-context.ts';

/** `!mcp-catalog`: all definitions by catalog (R35); one that cannot be read is an error, never an empty list (R74). */
export const mcpCatalog = command<OperatorContext, never, never>({
  name: '!mcp-catalog',
  tool: 'mcp_catalog',
  summary: 'List all MCP servers of the catalogs',
  parameters: [],
  flags: [],
  run: (context, _, signal) => catalog(context, false, signal),
});

/** The same for every edge; `refresh` reads all catalogs anew. */
export async function catalog(context: OperatorContext, refresh: boolean, signal: AbortSignal): Promise<Envelope> {
  await context.record('mcp_catalog', refresh ? 'catalogs, anew' : 'catalogs');
  const { catalogs } = context;
  return listed(await (refresh ? catalogs.refresh({ signal }) : catalogs.list({ signal })));
}

function listed(list: CatalogList): Envelope {
  const total = list.catalogs.reduce((sum, { definitions }) => sum + definitions, 0);
  const lines = list.catalogs.flatMap(({ id, place, definitions }) => [
    `${id} (${place}): ${available(definitions)}`,
    ...list.entries
      .filter(entry => entry.catalog === id)
      .map(({ name, title }) => `  ${name}${title === undefined ? '' : `, ${title}`}`),
  ]);
  const inShort = `${available(total)}.`;
  return catalogResult(list, { said: [inShort, ...lines].join('\n'), inShort }, { total });
}

import { LongshoreError } from '../core/errors.ts';
import { catalogResult } from './catalog-hits.ts';
import { command, usage } from './command.ts';
import type { Envelope } from './envelope.ts';
import type { OperatorContext } from './operator-context.ts';

/** So many are shown of a search where nobody says how many. */
export const defaultHits = 20;

/** `!mcp-search <query>`: in all catalogs, by name, title, description, tools, tags and category (R34). */
export const mcpSearch = command<OperatorContext, 'query', never>({
  name: '!mcp-search',
  tool: 'mcp_search',
  summary: 'Search for MCP servers by name, description and tool',
  parameters: ['query'],
  flags: [],
  async run(context, { arguments: { query } }, signal) {
    if (query.trim() === '') throw new LongshoreError('usage', `Usage: ${usage(mcpSearch)}. <query> is blank.`);
    return await search(context, query, defaultHits, signal);
  },
});

/** The same for every edge. An unreadable catalog is an error that still has what the others found (R34). */
export async function search(
  context: OperatorContext,
  query: string,
  limit: number,
  signal: AbortSignal,
): Promise<Envelope> {
  await context.record('mcp_search', query);
  const found = await context.catalogs.search(query, limit, { signal });
  const { entries } = found;
  const said =
    entries.length === 0
      ? `Nothing in the catalogs matches ${JSON.stringify(query)}.`
      : `${entries.length} ${entries.length === 1 ? 'server matches' : 'servers match'}: ${entries.map(({ name }) => name).join(', ')}.`;
  return catalogResult(found, { said }, { query });
}

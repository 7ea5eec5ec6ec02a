import { LongshoreError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ServerInfo } from '../servers/server-info.ts';
import { command, usage } from './command.ts';
import { type Envelope, failed } from './envelope.ts';
import { quoteWord } from './grammar.ts';
import type { OperatorContext } from './operator-context.ts';

/**
 * `!mcp-search <query>`: in the catalogs (R34). Until those can be read it is an error, never an empty list, which
 * carries what is found among the servers that are here.
 */
export const mcpSearch = command<OperatorContext, 'query', never>({
  name: '!mcp-search',
  tool: 'mcp_search',
  summary: 'Search for MCP servers by name, description and tool',
  parameters: ['query'],
  flags: [],
  async run(context, { arguments: { query } }) {
    if (query.trim() === '') throw new LongshoreError('usage', `Usage: ${usage(mcpSearch)}. <query> is blank.`);
    await context.record('mcp_search', query);
    return found(query, await context.servers());
  },
});

function found(query: string, servers: readonly ServerInfo[]): Envelope {
  const matches = servers.filter(server => isLike(server, query.toLowerCase())).map(match);
  const here =
    matches.length === 0 ? 'Of the servers that are here none matches.' : `${matches.length} of those here match.`;
  return failed('not-available', `The catalogs cannot be searched yet. ${here}`, { query, matches });
}

function isLike({ name, server, image, tools }: ServerInfo, query: string): boolean {
  const texts = [name, server, image ?? '', ...tools.flatMap(tool => [tool.toolName, tool.description ?? ''])];
  return texts.some(text => text.toLowerCase().includes(query));
}

function match({ name, server, image, tools }: ServerInfo): JsonObject {
  return {
    name,
    source: 'here',
    tools: tools.map(tool => tool.toolName),
    load: `!mcp-load ${quoteWord(image ?? server)}`,
  };
}

import { command } from './command.ts';
import { failed } from './envelope.ts';
import type { OperatorContext } from './operator-context.ts';

/** `!mcp-catalog`: all definitions by source (R35); an error until the catalogs can be read, never an empty list. */
export const mcpCatalog = command<OperatorContext, never, never>({
  name: '!mcp-catalog',
  tool: 'mcp_catalog',
  summary: 'List all MCP servers of the catalogs',
  parameters: [],
  flags: [],
  async run(context) {
    await context.record('mcp_catalog', 'catalogs');
    return failed('not-available', 'The catalogs are not available yet.');
  },
});

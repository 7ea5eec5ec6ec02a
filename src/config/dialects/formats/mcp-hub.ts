import type { Dialect } from '../types.ts';

/** mcp-hub and mcphub.nvim: an empty variable is taken from the environment, and `${cmd: …}` is run by it, never by us. */
export const mcpHub: Dialect = {
  name: 'mcp-hub',
  title: 'mcp-hub',
  tails: ['mcphub/servers.json'],
  roots: [['mcpServers'], ['servers']],
  dollarNames: 'argument',
  inheritsEmpty: true,
};

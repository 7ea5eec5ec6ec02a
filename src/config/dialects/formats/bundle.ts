import type { Dialect } from '../types.ts';

/** The manifest of a bundle (`.mcpb`): one server, and what its user is asked. */
export const bundle: Dialect = {
  name: 'bundle',
  title: 'an MCP bundle',
  tails: ['manifest.json'],
  roots: [['server', 'mcp_config']],
};

import type { Dialect } from '../types.ts';

/** Claude Code: a project's `.mcp.json`, a plugin's (servers at the root), and the user's own file with its projects. */
export const claudeCode: Dialect = {
  name: 'claude-code',
  title: 'Claude Code',
  tails: ['.mcp.json', '.claude.json', 'managed-mcp.json'],
  roots: [['mcpServers'], ['projects', '*', 'mcpServers']],
  flatRoot: true,
  timeout: 'milliseconds',
};

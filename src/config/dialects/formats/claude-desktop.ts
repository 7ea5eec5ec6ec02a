import type { Dialect } from '../types.ts';

/** Claude Desktop. It expands no variables, and starts programs only. */
export const claudeDesktop: Dialect = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  tails: ['claude_desktop_config.json'],
  expandsNothing: true,
};

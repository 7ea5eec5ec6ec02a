import type { Dialect } from '../types.ts';

/** Windsurf and Antigravity. */
export const windsurf: Dialect = {
  name: 'windsurf',
  title: 'Windsurf',
  tails: ['mcp_config.json'],
};

import type { Dialect } from '../types.ts';

/** Copilot CLI. */
export const copilot: Dialect = {
  name: 'copilot',
  title: 'Copilot CLI',
  tails: ['.copilot/mcp-config.json', 'mcp-config.json'],
  timeout: 'milliseconds',
};

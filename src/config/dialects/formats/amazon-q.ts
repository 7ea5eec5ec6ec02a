import type { Dialect } from '../types.ts';

/** Amazon Q; its time-outs are milliseconds. */
export const amazonQ: Dialect = {
  name: 'amazon-q',
  title: 'Amazon Q',
  tails: ['.amazonq/mcp.json', '.aws/amazonq/mcp.json', '.amazonq/default.json'],
  timeout: 'milliseconds',
};

import type { Dialect } from '../types.ts';

/** Roo Code; its time-outs are seconds. */
export const roo: Dialect = {
  name: 'roo',
  title: 'Roo Code',
  tails: ['.roo/mcp.json', 'mcp_settings.json'],
  timeout: 'seconds',
};

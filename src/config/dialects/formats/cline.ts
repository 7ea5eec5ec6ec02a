import type { Dialect } from '../types.ts';

/** Cline; its time-outs are seconds. */
export const cline: Dialect = {
  name: 'cline',
  title: 'Cline',
  tails: ['cline_mcp_settings.json'],
  timeout: 'seconds',
  expandsNothing: true,
};

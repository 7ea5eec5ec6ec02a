import type { Dialect } from '../types.ts';

/** A hub that serves many users: its users, keys and settings are none of ours. */
export const hubServer: Dialect = {
  name: 'hub-server',
  title: 'MCPHub',
  tails: [],
  timeout: 'milliseconds',
};

import type { Dialect } from '../types.ts';

/** Kiro, of a project or of the user. */
export const kiro: Dialect = {
  name: 'kiro',
  title: 'Kiro',
  tails: ['.kiro/settings/mcp.json'],
  timeout: 'milliseconds',
};

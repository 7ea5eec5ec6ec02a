import type { Dialect } from '../types.ts';

/** Cursor, of a project or of the user. */
export const cursor: Dialect = {
  name: 'cursor',
  title: 'Cursor',
  tails: ['.cursor/mcp.json'],
};

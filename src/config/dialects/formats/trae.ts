import type { Dialect } from '../types.ts';

/** Trae, Qoder and Junie. */
export const trae: Dialect = {
  name: 'trae',
  title: 'Trae, Qoder, Junie',
  tails: ['.trae/mcp.json', '.qoder/mcp.json', '.junie/mcp/mcp.json'],
};

import type { Dialect } from '../types.ts';

/** Crush; its time-outs are seconds, and `$(…)` is run by it, never by us. */
export const crush: Dialect = {
  name: 'crush',
  title: 'Crush',
  tails: ['crush.json', '.crush.json'],
  roots: [['mcp']],
  timeout: 'seconds',
  dollarNames: 'anywhere',
  runsCommands: true,
};

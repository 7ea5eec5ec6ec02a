import type { Dialect } from '../types.ts';

/** A file that says nothing of its client. */
export const generic: Dialect = {
  name: 'generic',
  title: 'any client',
  tails: [],
  flatRoot: true,
};

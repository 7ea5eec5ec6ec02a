import type { Dialect } from '../types.ts';

/** Amp: its root key is one name with a dot in it. */
export const amp: Dialect = {
  name: 'amp',
  title: 'Amp',
  tails: ['amp/settings.json', 'amp/settings.jsonc'],
  roots: [['amp.mcpServers']],
};

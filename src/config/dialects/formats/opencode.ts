import type { Dialect } from '../types.ts';

/** OpenCode: one list is the command with its arguments, and `remote` says that there is an address, not how it speaks. */
export const opencode: Dialect = {
  name: 'opencode',
  title: 'OpenCode',
  tails: ['opencode.json', 'opencode.jsonc'],
  roots: [['mcp']],
  timeout: 'milliseconds',
  bracedEnv: true,
  prepare(entry) {
    const { type, ...rest } = entry;
    return type === 'remote' ? rest : entry;
  },
};

import type { Dialect } from '../types.ts';

/** LibreChat; `interface.mcpServers` is a block of permissions and never looked at. */
export const librechat: Dialect = {
  name: 'librechat',
  title: 'LibreChat',
  tails: ['librechat.yaml', 'librechat.yml'],
  timeout: 'milliseconds',
};

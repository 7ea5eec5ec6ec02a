import { isJsonObject } from '../../../core/json.ts';
import { type Dialect, Rejected } from '../types.ts';

/** Continue: a list of servers, some of which are only named and kept in its hub. */
export const continueDev: Dialect = {
  name: 'continue',
  title: 'Continue',
  tails: ['.continue/config.yaml', '.continue/config.yml', '.continue/mcpservers/*', '.continue/config.json'],
  roots: [['mcpServers'], ['experimental', 'modelContextProtocolServers']],
  secretTemplates: true,
  prepare(entry) {
    if (entry['uses'] !== undefined) throw new Rejected('hub-block');
    const { transport } = entry;
    // Its older JSON has the whole server in `transport`.
    return isJsonObject(transport) && transport['command'] !== undefined
      ? { ...entry, ...transport, transport: null }
      : entry;
  },
};

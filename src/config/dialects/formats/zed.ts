import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { type Dialect, Rejected } from '../types.ts';

/** Zed: a command may be an object of its own, and some entries are only the settings of an extension. */
export const zed: Dialect = {
  name: 'zed',
  title: 'Zed',
  tails: ['.zed/settings.json', 'zed/settings.json'],
  roots: [['context_servers'], ['experimental', 'context_servers']],
  expandsNothing: true,
  silent: ['source', 'settings', 'remote'],
  prepare(entry) {
    const { command, ...rest } = entry;
    if (command === undefined && entry['url'] === undefined && entry['settings'] !== undefined) {
      throw new Rejected('extension-managed');
    }
    if (!isJsonObject(command)) return entry;
    const { path, args, env } = command;
    return {
      ...rest,
      ...(path !== undefined && { command: path }),
      ...(args !== undefined && { args }),
      ...(env !== undefined && { env }),
    } satisfies JsonObject;
  },
};

import type { JsonObject } from '../../../core/json.ts';
import type { Dialect } from '../types.ts';

/** Gemini CLI and Qwen: `httpUrl` is streamable HTTP, `url` is SSE, and either wins over a command. */
export const gemini: Dialect = {
  name: 'gemini',
  title: 'Gemini CLI',
  tails: ['.gemini/settings.json', '.qwen/settings.json', 'gemini-extension.json'],
  timeout: 'milliseconds',
  dollarNames: 'anywhere',
  prepare(entry, warn) {
    const { httpUrl, url, command, ...rest } = entry;
    const address = httpUrl ?? url;
    if (address === undefined || address === null || address === '') return entry;
    if (command !== undefined) warn('ambiguous-transport');
    if (entry['type'] !== undefined) return { ...rest, url: address } satisfies JsonObject;
    warn('transport-inferred');
    return { ...rest, url: address, type: httpUrl === undefined ? 'sse' : 'http' };
  },
};

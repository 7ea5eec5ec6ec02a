import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Dialect } from '../types.ts';

/** Codex: TOML; it hands every value to the server as it stands, variables too. */
export const codex: Dialect = {
  name: 'codex',
  title: 'Codex',
  tails: ['.codex/config.toml', 'codex/config.toml'],
  roots: [['mcp_servers']],
  expandsNothing: true,
  silent: ['type', 'env_vars', 'bearer_token_env_var', 'env_http_headers', 'required', 'scopes'],
  prepare(entry) {
    const { type: _, ...rest } = entry;
    const variables = Array.isArray(entry['env_vars']) ? entry['env_vars'] : [];
    const inherited = variables.map(item => (isJsonObject(item) ? item['name'] : item)).filter(isText);
    const byHeader = isJsonObject(entry['env_http_headers']) ? Object.entries(entry['env_http_headers']) : [];
    const headers = byHeader.flatMap(([header, name]) => (isText(name) ? [[header, fromEnv(name)]] : []));
    const bearer = entry['bearer_token_env_var'];
    if (isText(bearer)) headers.push(['Authorization', `Bearer ${fromEnv(bearer)}`]);
    return {
      ...rest,
      ...merged('env', entry['env'], Object.fromEntries(inherited.map(name => [name, fromEnv(name)]))),
      ...merged('http_headers', entry['http_headers'], Object.fromEntries(headers)),
    };
  },
};

function merged(field: string, said: unknown, more: JsonObject): JsonObject {
  if (Object.keys(more).length === 0) return {};
  return { [field]: { ...(isJsonObject(said) && said), ...more } };
}

const fromEnv = (name: string): string => `\${env:${name}}`;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

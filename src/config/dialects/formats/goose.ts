import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { type Dialect, Rejected } from '../types.ts';

/** Goose: its built-in extensions are no servers, and the values of `env_keys` are in its own keyring. */
export const goose: Dialect = {
  name: 'goose',
  title: 'Goose',
  tails: ['goose/config.yaml', 'goose/config/config.yaml'],
  roots: [['extensions']],
  timeout: 'seconds',
  keyNames: true,
  silent: ['bundled', 'display_name', 'env_keys'],
  prepare(entry, warn) {
    const { type, ...rest } = entry;
    if (typeof type === 'string' && /^(?:builtin|platform|frontend|inline_python)$/.test(type))
      throw new Rejected('builtin');
    const keys = Array.isArray(entry['env_keys']) ? entry['env_keys'].filter(key => typeof key === 'string') : [];
    for (const key of keys) warn('secret-in-keyring', `env.${key}`);
    const envs = isJsonObject(entry['envs']) ? entry['envs'] : {};
    return {
      ...rest,
      ...(type !== undefined && { type }),
      ...(keys.length > 0 && { envs: { ...envs, ...Object.fromEntries(keys.map(key => [key, `\${input:${key}}`])) } }),
    } satisfies JsonObject;
  },
};

import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import type { PlannedServer } from '../config/planned-server.ts';
import { LongshoreError } from '../core/errors.ts';
import type { ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { refuseMissing } from './plan-entry.ts';

/** The server key of the Docker MCP Gateway: its tools have one owner, for they cannot be told apart by server (R76). */
export const gatewayKey = 'gateway' as ServerKey;

/**
 * The plan of a gateway with these servers, each as Docker's catalog files describe it. Pure. Throws `unresolved-reference`
 * where a secret or setting is missing, which the gateway itself would fill with `<UNKNOWN>` and start, or `bad-config`.
 */
export function gatewayPlan(entries: readonly CatalogEntry[], hasSecret: (name: string) => boolean): PlannedServer {
  for (const entry of entries) {
    if (entry.start.kind === 'command') {
      throw new LongshoreError(
        'bad-config',
        `${entry.name} is a package and no image, which the gateway cannot start. Use: longshore load ${entry.name}`,
      );
    }
    refuseMissing(entry, {}, hasSecret);
  }
  const secrets = entries.flatMap(entry => entry.secrets.map(({ name }) => name));
  return {
    identity: 'gateway',
    name: 'gateway',
    wantedKey: gatewayKey,
    kind: 'gateway',
    config: { name: 'gateway', env: Object.fromEntries(secrets.map(name => [name, `\${secret:${name}}`])) },
    gateway: Object.fromEntries(entries.map(entry => [entry.name, described(entry)])),
    diagnostics: [],
  };
}

/** Two servers with a tool of one name end the whole gateway, after it has started all of them: told before, with both. */
export function refuseCollisions(entries: readonly CatalogEntry[]): void {
  const owners = new Map<string, string>();
  for (const { name, tools } of entries) {
    for (const tool of tools) {
      const other = owners.get(tool);
      if (other !== undefined && other !== name) {
        throw new LongshoreError(
          'name-in-use',
          `${other} and ${name} both have a tool ${tool}, which the gateway refuses. Load one of them by itself: longshore load ${name}`,
          { data: { tool, servers: [other, name] } },
        );
      }
      owners.set(tool, name);
    }
  }
}

/** As a catalog file has it. */
function described({ description, title, start, secrets, env, settings }: CatalogEntry): JsonObject {
  const common = {
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    secrets: secrets.map(({ name, variable }) => ({ name, env: variable })),
    env: Object.entries(env).map(([name, value]) => ({ name, value: withDefaults(value, settings) })),
  };
  if (start.kind === 'remote') {
    const { url, transport = 'streamable-http', headers } = start;
    return { ...common, type: 'remote', remote: { url, transport_type: transport, headers } };
  }
  if (start.kind !== 'image') return { ...common, type: 'poci' };
  const { image, command, volumes, user, network, hosts } = start;
  return {
    ...common,
    type: 'server',
    image,
    command: command.map(word => withDefaults(word, settings)),
    volumes: [...volumes],
    ...(user !== undefined && { user }),
    ...(!network && { disableNetwork: true }),
    ...(hosts.length > 0 && { allowHosts: [...hosts] }),
  };
}

/** The gateway is given no values of settings, so their defaults stand in their places. */
function withDefaults(template: string, settings: CatalogEntry['settings']): string {
  return template.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, key: string) => {
    return settings.find(setting => setting.key === key)?.byDefault ?? whole;
  });
}

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { GatewaySpec } from './gateway.ts';
import type { Surroundings } from './runner.ts';

/** The files that a gateway reads at its start. */
export interface GatewayFiles {
  readonly catalog: string;
  readonly secrets: string;
  remove(): Promise<void>;
}

/**
 * Writes a catalog of the wanted servers where the gateway takes one from, and their secrets; both for our eyes alone. JSON
 * is YAML. The path of the secrets holds no colon, which would end it.
 */
export async function writeGatewayFiles(
  { registry, secrets }: GatewaySpec,
  { homeDir }: Pick<Surroundings, 'homeDir'>,
): Promise<GatewayFiles> {
  const folder = join(homeDir, '.docker', 'mcp', 'catalogs');
  const name = `longshore-${randomBytes(6).toString('hex')}`;
  const paths = { catalog: join(folder, `${name}.yaml`), secrets: join(folder, `${name}.env`) };
  await mkdir(folder, { recursive: true });
  const lines = Object.entries(secrets).map(([key, value]) => `${key}=${value}\n`);
  const options = { mode: 0o600, flag: 'wx' };
  await writeFile(paths.secrets, lines.join(''), options);
  await writeFile(paths.catalog, JSON.stringify({ version: 2, name, displayName: 'Longshore', registry }), options);
  return {
    ...paths,
    async remove() {
      await Promise.all(Object.values(paths).map(path => rm(path, { force: true })));
    },
  };
}

/** A port of loopback that was free a moment ago: the gateway cannot be told to take any. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

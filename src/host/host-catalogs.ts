import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { type Catalogs, createCatalogs } from '../catalog/catalogs.ts';
import { curatedSource } from '../catalog/sources/curated.ts';
import { dockerSource } from '../catalog/sources/docker.ts';
import { filesSource } from '../catalog/sources/files.ts';
import { mcpRegistrySource } from '../catalog/sources/mcp-registry.ts';
import type { Settings } from '../config/settings.ts';
import { linkEngine } from '../runners/engine-link.ts';
import type { Surroundings } from '../runners/runner.ts';
import { httpAgent } from '../runners/transport/http-fetch.ts';
import { proxyFor } from '../runners/transport/http-proxy.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { CatalogCache } from '../store/catalogs.ts';

/** What the catalogs of a host are read with. */
export interface HostCatalogsDeps {
  readonly around: Surroundings;
  readonly settings: Pick<Settings, 'dockerCatalog' | 'mcpRegistry' | 'deadlines'>;
  readonly cache: CatalogCache;
  readonly redactor: Pick<Redactor, 'text'>;
  /** Of the home; a host without one has no catalog files. */
  readonly folder: string | undefined;
  readonly onProgress: (catalog: string, line: string) => void;
}

const connectMilliseconds = 15_000;
const pageMilliseconds = 60_000;

/**
 * The catalogs of a host, in the order in which a name is looked for: the user's own files, Docker's, our own list, the
 * community's registry where one is set. Nothing is read before it is asked for.
 */
export function hostCatalogs(deps: HostCatalogsDeps): Catalogs & AsyncDisposable {
  const { around, settings, cache, redactor, folder } = deps;
  const agents = new Map<string, ReturnType<typeof httpAgent>>();
  const dispatcherFor = (url: URL): Dispatcher => {
    const proxy = proxyFor(url, around.env);
    const way = proxy?.uri ?? '';
    const agent = agents.get(way) ?? httpAgent(connectMilliseconds, proxy);
    agents.set(way, agent);
    return agent;
  };
  const docker = async () => (await linkEngine({ program: 'docker', globals: [], env: {} }, around)).cli;
  const catalogs = createCatalogs({
    sources: [
      ...(folder === undefined ? [] : [filesSource(join(folder, 'catalogs'))]),
      dockerSource({
        reference: settings.dockerCatalog,
        docker,
        dispatcherFor,
        limit: settings.deadlines.imagePull,
        hide: text => redactor.text(text),
      }),
      curatedSource,
      ...(settings.mcpRegistry === undefined
        ? []
        : [mcpRegistrySource({ url: settings.mcpRegistry, dispatcherFor, limit: pageMilliseconds })]),
    ],
    cache,
    clock: around.clock,
    log: around.log,
    onProgress: (catalog, line) => deps.onProgress(catalog, redactor.text(line)),
  });
  return {
    ...catalogs,
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.values()].map(agent => agent.destroy()));
    },
  };
}

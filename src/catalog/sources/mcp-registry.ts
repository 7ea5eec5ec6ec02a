import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { LongshoreError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { CatalogEntry, CatalogSetting, CatalogStart } from '../catalog-entry.ts';
import { unreadable } from '../read-docker-catalog.ts';
import type { CatalogSource, ReadOptions } from './source.ts';

/** What reading a registry of the v0 API needs. */
export interface RegistrySourceDeps {
  /** Its address, without `/v0`. */
  readonly url: URL;
  readonly dispatcherFor: (url: URL) => Dispatcher;
  /** Milliseconds for one page. */
  readonly limit: number;
}

const pageSize = 100;
/** So many pages are read; a registry that has more, or goes round in circles, is cut there. */
const mostPages = 1000;
const mostPageBytes = 16 * 1024 * 1024;

const text = z.string().min(1).optional().catch(undefined);
const input = z.object({
  name: text,
  type: text,
  value: text,
  default: text,
  description: text,
  isRequired: z.boolean().catch(false),
  isSecret: z.boolean().catch(false),
});
const transport = z.object({ type: text, url: text }).catch({ type: undefined, url: undefined });
const serverSchema = z.object({
  name: z.string().min(1),
  title: text,
  description: text,
  version: text,
  packages: z
    .array(
      z.object({
        registryType: z.string(),
        identifier: z.string().min(1),
        version: text,
        transport,
        packageArguments: z.array(input).catch([]),
        environmentVariables: z.array(input).catch([]),
      }),
    )
    .catch([]),
  remotes: z.array(z.object({ type: z.string(), url: z.string(), headers: z.array(input).catch([]) })).catch([]),
});
type Server = z.infer<typeof serverSchema>;
type Package = Server['packages'][number];

const pageSchema = z.object({
  servers: z.array(
    z.object({ server: z.unknown(), _meta: z.record(z.string(), z.unknown()).optional().catch(undefined) }),
  ),
  metadata: z.object({ nextCursor: text }).optional().catch(undefined),
});

/** The community's MCP registry (v0 API): every latest, active server of it, page by page. */
export function mcpRegistrySource(deps: RegistrySourceDeps): CatalogSource {
  const place = deps.url.href;
  return {
    id: 'mcp-registry',
    place,
    isLocal: false,
    async read(options) {
      try {
        const entries = new Map<string, CatalogEntry>();
        let unnamed = 0;
        let cursor: string | undefined;
        for (let page = 0; page < mostPages; page += 1) {
          const { servers, metadata } = await pageOf(deps, cursor, options);
          for (const { server, _meta } of servers) {
            if (!isActive(_meta)) continue;
            const read = serverSchema.safeParse(server);
            if (!read.success) unnamed += 1;
            else add(entries, entryOf(read.data));
          }
          cursor = metadata?.nextCursor;
          if (cursor === undefined || servers.length === 0) break;
          options.onProgress?.(`${entries.size} definitions read from ${deps.url.host}`);
        }
        return { title: undefined, entries: [...entries.values()], unnamed };
      } catch (error) {
        if (options.signal.aborted)
          throw new LongshoreError('cancelled', 'Reading the catalog was cancelled.', { cause: error });
        const why =
          error instanceof Error && error.name === 'TimeoutError'
            ? `a page did not come within ${deps.limit / 1000} s`
            : String(error instanceof Error ? error.message : error);
        throw unreadable(place, why, error);
      }
    },
  };
}

async function pageOf(
  { url, dispatcherFor, limit }: RegistrySourceDeps,
  cursor: string | undefined,
  { signal }: ReadOptions,
) {
  const page = new URL('/v0/servers', url);
  page.searchParams.set('version', 'latest');
  page.searchParams.set('limit', String(pageSize));
  if (cursor !== undefined) page.searchParams.set('cursor', cursor);
  const { statusCode, body } = await request(page, {
    dispatcher: dispatcherFor(page),
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(limit)]),
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > mostPageBytes) throw new Error(`a page is larger than ${mostPageBytes} bytes`);
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`it answers ${statusCode}`);
  const read = pageSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (!read.success) throw new Error('its answer has not the shape of a registry of the v0 API');
  return read.data;
}

function isActive(meta: Readonly<Record<string, unknown>> | undefined): boolean {
  const official = z.object({ status: text }).safeParse(meta?.['io.modelcontextprotocol.registry/official']);
  return official.data?.status === undefined || official.data.status === 'active';
}

/** Names of the registry have a `/`, as images do; here they have `-` for it, and a digest where two become one. */
function add(entries: Map<string, CatalogEntry>, entry: CatalogEntry & { readonly fullName: string }): void {
  const { fullName, ...rest } = entry;
  const name = entries.has(entry.name) ? `${entry.name}-${sha256(fullName).slice(0, 6)}` : entry.name;
  entries.set(name, { ...rest, name });
}

function entryOf(server: Server): CatalogEntry & { readonly fullName: string } {
  const name = server.name.replaceAll(/[^A-Za-z0-9_-]+/g, '-');
  const chosen = packageOf(server);
  const inputs = chosen?.environmentVariables ?? [];
  const named = inputs.flatMap(one => (one.name === undefined ? [] : [{ ...one, name: one.name }]));
  const open = named.filter(one => !one.isSecret);
  const settings: readonly CatalogSetting[] = open.map(one => ({
    key: `${name}.${one.name}`,
    description: one.description,
    isRequired: one.isRequired,
    byDefault: one.value ?? one.default,
  }));
  const { start, asked } = startOf(server, chosen, name);
  return {
    name,
    fullName: server.name,
    catalog: 'mcp-registry',
    title: server.title ?? server.name,
    description: server.description,
    category: undefined,
    tags: ['community'],
    tools: [],
    start,
    secrets: [
      ...named.filter(one => one.isSecret).map(one => ({ name: `${name}.${one.name}`, variable: one.name })),
      ...headerSecrets(start, name),
    ],
    settings: [...settings, ...asked],
    env: Object.fromEntries(open.map(one => [one.name, `{{${name}.${one.name}}}`])),
  };
}

const kinds: readonly string[] = ['oci', 'npm', 'pypi'];

/** An image first, for it runs apart from everything else; only what speaks stdio. */
function packageOf({ packages }: Server): Package | undefined {
  const usable = packages.filter(
    one => kinds.includes(one.registryType) && (one.transport.type ?? 'stdio') === 'stdio',
  );
  return usable.sort((one, other) => kinds.indexOf(one.registryType) - kinds.indexOf(other.registryType))[0];
}

function startOf(
  server: Server,
  chosen: Package | undefined,
  name: string,
): { start: CatalogStart; asked: readonly CatalogSetting[] } {
  if (chosen !== undefined) {
    const { args, asked } = argumentsOf(chosen, name);
    const { registryType, identifier, version } = chosen;
    if (registryType === 'npm')
      return { start: { kind: 'command', command: 'npx', args: ['-y', at(identifier, '@', version), ...args] }, asked };
    if (registryType === 'pypi')
      return { start: { kind: 'command', command: 'uvx', args: [at(identifier, '@', version), ...args] }, asked };
    const image = /[:@][^/]+$/.test(identifier) ? identifier : at(identifier, ':', version);
    return {
      start: { kind: 'image', image, command: args, volumes: [], user: undefined, network: true, hosts: [] },
      asked,
    };
  }
  const remote =
    server.remotes.find(one => one.type === 'streamable-http') ?? server.remotes.find(one => one.type === 'sse');
  if (remote === undefined)
    return {
      start: { kind: 'none', reason: 'it has neither a package that can be run here nor an address' },
      asked: [],
    };
  const headers = Object.fromEntries(
    remote.headers.flatMap(one => (one.name === undefined ? [] : [[one.name, headerValue(one)]])),
  );
  return {
    start: { kind: 'remote', url: remote.url, transport: remote.type === 'sse' ? 'sse' : 'streamable-http', headers },
    asked: [],
  };
}

const at = (identifier: string, mark: string, version: string | undefined): string =>
  version === undefined || version === 'latest' ? identifier : `${identifier}${mark}${version}`;

/** A value that the registry gives is used; one that it only names is asked for. */
function argumentsOf(
  { packageArguments }: Package,
  name: string,
): { args: readonly string[]; asked: readonly CatalogSetting[] } {
  const asked: CatalogSetting[] = [];
  const args = packageArguments.flatMap((argument, position) => {
    const given = argument.value ?? argument.default;
    const key = `${name}.${(argument.name ?? `argument${position + 1}`).replace(/^-+/, '')}`;
    if (given === undefined && !argument.isRequired) return [];
    if (given === undefined)
      asked.push({ key, description: argument.description, isRequired: true, byDefault: undefined });
    const value = given ?? `{{${key}}}`;
    return argument.type === 'named' && argument.name !== undefined ? [argument.name, value] : [value];
  });
  return { args, asked };
}

function headerValue({ name = '', value, isSecret }: z.infer<typeof input>): string {
  if (value === undefined) return `\${${name.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase()}}`;
  return isSecret ? value.replaceAll(/\{([A-Za-z0-9_-]+)\}/g, (_, word: string) => `\${${word.toUpperCase()}}`) : value;
}

function headerSecrets(start: CatalogStart, name: string): CatalogEntry['secrets'] {
  if (start.kind !== 'remote') return [];
  const variables = Object.values(start.headers).flatMap(value =>
    [...value.matchAll(/\$\{([A-Z0-9_]+)\}/g)].map(([, variable = '']) => variable),
  );
  return [...new Set(variables)].map(variable => ({ name: `${name}.${variable}`, variable }));
}

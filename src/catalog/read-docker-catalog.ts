import { z } from 'zod';
import { LongshoreError } from '../core/errors.ts';
import type { TransportName } from '../core/words.ts';
import type { CatalogContent, CatalogEntry, CatalogSetting, CatalogStart } from './catalog-entry.ts';

/** A member that is absent or of another type is as good as not there; catalogs have fields of every age. */
const text = z.string().min(1).optional().catch(undefined);
const texts = listOf(z.string());

/** One odd item never loses the others. */
function listOf<Item>(item: z.ZodType<Item>) {
  return z
    .array(z.unknown())
    .catch([])
    .transform(items =>
      items.flatMap(one => {
        const read = item.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    );
}

const configSchema = z.object({
  name: text,
  properties: z
    .record(
      z.string(),
      z
        .object({ description: text, default: z.unknown().optional() })
        .catch({ description: undefined, default: undefined }),
    )
    .catch({}),
  required: texts,
});

const serverSchema = z.object({
  name: text,
  type: text,
  title: text,
  description: text,
  image: text,
  command: texts,
  volumes: texts,
  user: text,
  disableNetwork: z.boolean().catch(false),
  allowHosts: texts,
  // What it needs is never left out: an entry with a need that cannot be read is not loadable.
  secrets: z.array(z.object({ name: z.string().min(1), env: z.string().min(1) })).optional(),
  env: z.array(z.object({ name: z.string().min(1), value: z.string() })).optional(),
  config: listOf(configSchema),
  remote: z
    .object({ url: text, transport_type: text, headers: z.record(z.string(), z.string()).catch({}) })
    .catch({ url: undefined, transport_type: undefined, headers: {} }),
  tools: listOf(z.object({ name: z.string().min(1) })),
  metadata: z.object({ category: text, tags: texts }).catch({ category: undefined, tags: [] }),
});
type Server = z.infer<typeof serverSchema>;

const catalogSchema = z.object({
  title: text,
  servers: z.array(
    z.object({
      type: text,
      image: text,
      endpoint: text,
      snapshot: z.object({ server: z.unknown() }).optional().catch(undefined),
    }),
  ),
});

const registrySchema = z.object({ displayName: text, name: text, registry: z.record(z.string(), z.unknown()) });

/**
 * Reads what `docker mcp catalog show --format json` prints, and the layer of a catalog in a registry, which is the same
 * (R71); `place` is how errors name it. Throws `catalog-unreadable` for another shape and for two entries of one name (R74).
 */
export function readDockerCatalog(value: unknown, catalog: string, place = catalog): CatalogContent {
  const read = catalogSchema.safeParse(value);
  if (!read.success) throw unreadable(place, 'it has not the shape of a Docker catalog');
  const entries: CatalogEntry[] = [];
  let unnamed = 0;
  for (const { type, image, endpoint, snapshot } of read.data.servers) {
    const entry = entryOf(snapshot?.server, catalog, { type, image, endpoint });
    if (entry === undefined) unnamed += 1;
    else entries.push(entry);
  }
  return { title: read.data.title, entries: distinct(entries, place), unnamed };
}

/** Reads a catalog file, `registry: {NAME: {…}}`, once its YAML or JSON is parsed. Throws `catalog-unreadable`. */
export function readCatalogFile(value: unknown, catalog: string, place = catalog): CatalogContent {
  const read = registrySchema.safeParse(value);
  if (!read.success) throw unreadable(place, 'it has not the shape of a catalog file: registry, with an entry by name');
  const found = Object.entries(read.data.registry).map(([name, server]) =>
    entryOf(typeof server === 'object' && server !== null ? { ...server, name } : undefined, catalog, {}),
  );
  const entries = found.filter(entry => entry !== undefined);
  return {
    title: read.data.displayName ?? read.data.name,
    entries: distinct(entries, place),
    unnamed: found.length - entries.length,
  };
}

/** The error for a catalog that cannot be read: it is never taken for an empty one (R74). */
export function unreadable(catalog: string, why: string, cause?: unknown): LongshoreError {
  return new LongshoreError('catalog-unreadable', `The catalog ${catalog} cannot be read: ${why}.`, {
    cause,
    data: { catalog },
  });
}

function distinct(entries: readonly CatalogEntry[], place: string): readonly CatalogEntry[] {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) throw unreadable(place, `two of its entries are named ${JSON.stringify(name)}`);
    seen.add(name);
  }
  return entries;
}

function entryOf(
  value: unknown,
  catalog: string,
  outer: {
    readonly type?: string | undefined;
    readonly image?: string | undefined;
    readonly endpoint?: string | undefined;
  },
): CatalogEntry | undefined {
  const read = serverSchema.safeParse(value);
  const named = z.object({ name: z.string().min(1) }).safeParse(value);
  const name = named.data?.name;
  // Names with whitespace at their ends could never be typed (R70).
  if (name === undefined || name.trim() !== name) return undefined;
  if (!read.success)
    return { ...blank, name, catalog, start: { kind: 'none', reason: 'what it needs cannot be read' } };
  const server = read.data;
  return {
    name,
    catalog,
    title: server.title,
    description: server.description,
    category: server.metadata.category,
    tags: server.metadata.tags,
    tools: server.tools.map(tool => tool.name),
    start: startOf(server, outer),
    secrets: (server.secrets ?? []).map(secret => ({ name: secret.name, variable: secret.env })),
    settings: settingsOf(server, name),
    env: Object.fromEntries((server.env ?? []).map(variable => [variable.name, variable.value])),
  };
}

const blank = {
  title: undefined,
  description: undefined,
  category: undefined,
  tags: [],
  tools: [],
  secrets: [],
  settings: [],
  env: {},
} as const;

function startOf(
  server: Server,
  outer: { readonly image?: string | undefined; readonly endpoint?: string | undefined },
): CatalogStart {
  const url = server.remote.url ?? (server.type === 'remote' ? outer.endpoint : undefined);
  if (url !== undefined) {
    return {
      kind: 'remote',
      url,
      transport: transportOf(server.remote.transport_type),
      headers: server.remote.headers,
    };
  }
  const image = server.image ?? outer.image;
  if (server.type === 'poci')
    return { kind: 'none', reason: 'each of its tools is a container of its own; the gateway runs those' };
  if (image === undefined) return { kind: 'none', reason: 'it names neither an image nor an address' };
  const { command, volumes, user, disableNetwork, allowHosts } = server;
  return { kind: 'image', image, command, volumes, user, network: !disableNetwork, hosts: allowHosts };
}

function transportOf(said: string | undefined): TransportName | undefined {
  if (said === 'sse') return 'sse';
  return said === undefined ? undefined : 'streamable-http';
}

function settingsOf(server: Server, entry: string): readonly CatalogSetting[] {
  return server.config.flatMap(({ name = entry, properties, required }) => {
    const keys = [...new Set([...Object.keys(properties), ...required])];
    return keys.map(key => {
      const byDefault = properties[key]?.default;
      const isPlain = ['string', 'number', 'boolean'].includes(typeof byDefault);
      return {
        key: `${name}.${key}`,
        description: properties[key]?.description,
        isRequired: required.includes(key),
        byDefault: isPlain ? String(byDefault) : undefined,
      };
    });
  });
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generatedTools } from '../fixtures/generated-tools.ts';
import { type Json, type RawClient, rawLegacy, rawModern, rawStdio } from '../fixtures/raw-mcp.ts';
import { type McpHome, mcpHome, stdioFixture } from './mcp-home.ts';
import { eventually, root } from './run-longshore.ts';

const long = 120_000;
const eras = ['legacy', 'modern'] as const;
/** What the service says to every server that it can do; the direct client must say the same to be shown the same. */
const relayed = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A folder for the servers that write. */
let folder: string;
let home: McpHome;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-fidelity-'));
  home = await mcpHome();
  await home.allow('*');
  ({ token } = await home.caller('fidelity'));
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function through(server: string, era: 'legacy' | 'modern'): Promise<RawClient> {
  const url = `${home.origin}/mcp/${server}`;
  return era === 'legacy' ? rawLegacy(url, token) : Promise.resolve(rawModern(url, token));
}

/** The same text for the same JSON, whatever the order of its fields; a field `__proto__` is one like any other. */
function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'nothing';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = Object.keys(value).sort();
  return `{${fields.map(name => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** A result without what each revision and each server says of its own. */
function plain({ _meta, resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result }: Json): Json {
  const { 'io.modelcontextprotocol/serverInfo': _info, ...meta } = _meta ?? {};
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}

async function toolsOf(client: RawClient): Promise<readonly Json[]> {
  const { result } = await client.request('tools/list');
  return result.tools;
}

/**
 * A definition as docs/clients.md says that it is shown: halves of characters as U+FFFD, `properties` where none are said,
 * and to 2025 clients no boolean for the schema of an argument.
 */
function shownAs({ inputSchema, ...definition }: Json, era: 'legacy' | 'modern'): Json {
  const properties = Object.entries(inputSchema.properties ?? {}).map(([name, schema]) => {
    return [name, era === 'legacy' && schema === true ? {} : schema] as const;
  });
  const text = JSON.stringify({
    ...definition,
    inputSchema: { ...inputSchema, properties: Object.fromEntries(properties) },
  });
  return JSON.parse(
    text.replaceAll(/\\(?:u[\da-f]{4}|[^u])/g, escape => (escape.startsWith('\\ud') ? '\\ufffd' : escape)),
  );
}

/** What differs between the tools of a direct list and those of the same server through Longshore. */
function differences(
  direct: readonly Json[],
  seen: readonly Json[],
  era: 'legacy' | 'modern',
  sameTool: (one: Json, other: Json) => boolean,
): readonly string[] {
  const found: string[] = [];
  for (const { name, ...definition } of direct) {
    const { name: handleName, ...shown } = seen.find(one => sameTool(one, { name, ...definition })) ?? {};
    const [is, was] = [canonical(shown), canonical(shownAs(definition, era))];
    if (is !== was) found.push(`${JSON.stringify(name)}: ${is} in place of ${was}`);
    if (!/^[A-Za-z0-9_-]{1,48}$/.test(handleName)) found.push(`${JSON.stringify(name)} is named ${handleName}`);
  }
  const names = new Set(seen.map(({ name }) => name));
  if (names.size !== direct.length || seen.length !== direct.length) {
    found.push(`${seen.length} tools with ${names.size} names in place of ${direct.length}`);
  }
  return found;
}

const official = (name: string): string =>
  join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

/** Real servers; `calls` are such as give the same answer twice. */
const realServers: readonly {
  readonly server: string;
  readonly args: () => readonly string[];
  readonly env?: (who: string) => Record<string, string>;
  readonly calls: () => readonly (readonly [string, Json])[];
}[] = [
  {
    server: 'everything',
    args: () => [official('everything')],
    calls: () => [
      ['echo', { message: 'ahoy' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-resource-links', { count: 3 }],
      ['get-structured-content', { location: 'New York' }],
      ['get-sum', { a: 1, b: 2 }],
      ['get-tiny-image', {}],
    ],
  },
  {
    server: 'filesystem',
    args: () => [official('filesystem'), join(folder, 'files')],
    calls: () => [
      ['list_allowed_directories', {}],
      ['read_text_file', { path: join(folder, 'files/note.txt') }],
      ['read_text_file', { path: join(folder, 'files/missing.txt') }],
      ['list_directory', { path: join(folder, 'files') }],
      ['directory_tree', { path: join(folder, 'files') }],
    ],
  },
  {
    server: 'memory',
    args: () => [official('memory')],
    env: who => ({ MEMORY_FILE_PATH: join(folder, `memory-${who}.json`) }),
    calls: () => [
      ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes 🌊'] }] }],
      ['search_nodes', { query: 'Ada' }],
      ['read_graph', {}],
      ['open_nodes', { names: ['nobody'] }],
    ],
  },
  {
    server: 'sequential-thinking',
    args: () => [official('sequential-thinking')],
    env: () => ({ DISABLE_THOUGHT_LOGGING: 'true' }),
    calls: () => [
      ['sequentialthinking', { thought: 'First', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }],
    ],
  },
];

describe.each(realServers)('the official server $server', ({ server, args, env, calls }) => {
  let direct: RawClient;
  beforeAll(async () => {
    await mkdir(join(folder, 'files'), { recursive: true });
    await writeFile(join(folder, 'files/note.txt'), 'Grüße 🌊\n');
    const command = process.execPath;
    direct = await rawStdio({ command, args: args(), ...(env && { env: env('direct') }) }, 'legacy', relayed);
    await home.save(server, { command, args: args(), ...(env && { env: env('longshore') }) });
  });
  afterAll(() => direct?.[Symbol.asyncDispose]());

  it.each(eras)(
    'shows a %s client the same definitions as directly, but for their names',
    async era => {
      await using client = await through(server, era);
      // A server may add tools once it knows its client.
      let tools = await toolsOf(direct);
      await eventually(async () => {
        tools = await toolsOf(direct);
        return tools.length === (await toolsOf(client)).length;
      }, 20_000);
      const shown = await toolsOf(client);
      expect(differences(tools, shown, era, (one, { name }) => one.name === `${server}__${name}`)).toEqual([]);
    },
    long,
  );

  it(
    'gives the same results as directly',
    async () => {
      await using client = await through(server, 'legacy');
      for (const [name, values] of calls()) {
        const told = await direct.request('tools/call', { name, arguments: values });
        const heard = await client.request('tools/call', { name: `${server}__${name}`, arguments: values });
        expect(canonical(heard.result), name).toBe(canonical(told.result));
      }
    },
    long,
  );
});

describe.each(eras)('500 generated tools of a %s server', serverEra => {
  const seed = Math.trunc(Math.random() * 2 ** 31);
  const generated = generatedTools(500, seed);
  const server = `generated-${serverEra}`;
  let direct: RawClient;

  beforeAll(async () => {
    const file = join(folder, `${server}.json`);
    await writeFile(
      file,
      JSON.stringify({ tools: generated.map(one => one.tool), results: generated.map(one => one.result) }),
    );
    const config = stdioFixture('verbatim', file, serverEra);
    direct = await rawStdio(config, serverEra);
    await home.save(server, config);
  });
  afterAll(() => direct?.[Symbol.asyncDispose]());

  it.each(eras)(
    `are seen by a %s client as they are (seed ${seed})`,
    async era => {
      await using client = await through(server, era);
      const [told, shown] = [await toolsOf(direct), await toolsOf(client)];
      expect(told).toHaveLength(500);
      expect(differences(told, shown, era, (one, { place }) => one.place === place)).toEqual([]);
    },
    long,
  );

  it.each(eras)(
    `answer a %s client as they do directly (seed ${seed})`,
    async era => {
      await using client = await through(server, era);
      const shown = await toolsOf(client);
      for (const [place, { tool }] of generated.entries()) {
        if (place % 5 !== 0) continue;
        const name = shown.find(one => one.place === place)?.name;
        const told = await direct.request('tools/call', { name: tool.name, arguments: {} });
        const heard = await client.request('tools/call', { name, arguments: {} });
        const what = `${place}: ${JSON.stringify(tool.inputSchema)}\n${JSON.stringify(heard).slice(0, 500)}`;
        expect(heard.error, what).toBeUndefined();
        expect(canonical(plain(heard.result)), what).toBe(canonical(plain(told.result)));
      }
    },
    long,
  );
});

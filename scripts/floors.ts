// The floors of src: the one list that the linter's import bans are generated from (docs/architecture.md draws it).

/** From the lowest to the highest; a folder may import those of lower floors, and nothing beside or above it. */
export const floors: readonly (readonly string[])[] = [
  ['core', 'lib'],
  ['docker', 'store', 'schema', 'search', 'api'],
  ['secrets'],
  ['config', 'runners'],
  ['connections', 'catalog', 'client'],
  ['governance'],
  ['servers'],
  ['commands'],
  ['host', 'plugin', 'index.ts', 'plugin.ts'],
  ['cortex', 'mcp'],
  ['cli'],
];

/** What may see a sibling of its own floor. */
const mayAlsoImport: Readonly<Record<string, readonly string[]>> = {
  plugin: ['host'],
  'index.ts': ['host'],
  'plugin.ts': ['host', 'plugin'],
  cortex: ['mcp'],
};

/** Packages that only some folders may name, and why. */
export const packageHomes: readonly {
  readonly names: readonly string[];
  readonly homes: readonly string[];
  readonly message: string;
}[] = [
  { names: ['node:sqlite', 'kysely'], homes: ['store'], message: 'Only src/store names the database.' },
  {
    names: ['@modelcontextprotocol/client'],
    homes: ['runners', 'connections'],
    message: 'The SDK stays behind transports and connections.',
  },
];

/** The rooms that `name` may not import from, in the order of the floors. */
export function forbiddenTo(name: string): readonly string[] {
  const floor = floors.findIndex(names => names.includes(name));
  const allowed = mayAlsoImport[name] ?? [];
  return floors
    .slice(floor)
    .flat()
    .filter(other => other !== name && !allowed.includes(other));
}

/**
 * A small agent host: it finds features, lets its person decide about every call, and has a dynamic registry, into which
 * Longshore mounts the tools of MCP servers. Run by test/e2e/plugin.test.ts.
 */

/** Where features may be found; one that is not installed is left out. */
const installed = [() => import('longshore/plugin')];

async function findFeatures(sources) {
  const found = [];
  for (const load of sources) {
    try {
      found.push((await load()).manifest);
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    }
  }
  return found;
}

/** The tools of all features, each with its owner; `replaceOwner` is the only write. */
function createRegistry() {
  const owners = new Map();
  return {
    replaceOwner(ownerKey, tools) {
      if (tools.length === 0) owners.delete(ownerKey);
      else owners.set(ownerKey, new Map(tools.map(tool => [tool.name, tool])));
    },
    list: () => [...owners].flatMap(([owner, tools]) => [...tools.values()].map(tool => ({ owner, tool }))),
  };
}

/**
 * Starts the host for one agent. `decide({ owner, tool, args })` is its person: true lets the call run.
 * `withRegistry: false` is a host without a dynamic registry.
 */
export async function startAgentHost({ agentId, home, env, decide, features = installed, withRegistry = true }) {
  const registry = createRegistry();
  const host = { agentId, home, env, registry: withRegistry ? registry : undefined };
  const running = (await findFeatures(features)).map(({ id, create }) => ({ id, feature: create(host) }));
  for (const { feature } of running) await feature.initialize();
  for (const { feature } of running) await feature.restore();
  const commands = running.flatMap(({ id, feature }) => feature.commands.map(command => ({ owner: id, command })));

  /** The one way to a tool, for the model: the exact owner and name are what is decided about. */
  async function dispatch(name, args) {
    const known = [
      ...registry.list(),
      ...commands.map(({ owner, command }) => ({ owner, tool: { ...command, name: command.tool } })),
    ];
    const found = known.find(({ tool }) => tool.name === name);
    if (!found) throw new Error(`There is no tool ${name}.`);
    if (!(await decide({ owner: found.owner, tool: name, args }))) throw new Error(`${name} was not allowed.`);
    return await found.tool.execute(args);
  }

  return {
    features: running.map(({ id }) => id),
    commands: commands.map(({ command }) => command.name),
    /** What the model is told. */
    tools: () =>
      registry.list().map(({ owner, tool: { name, description, inputSchema, protocol_version } }) => {
        return { owner, name, description, inputSchema, protocol_version };
      }),
    dispatch,
    /** What the person types: a command, by its exact first word. */
    async say(line) {
      const word = line.trim().split(/\s+/)[0]?.toLowerCase();
      const found = commands.find(({ command }) => command.name === word);
      return found ? await found.command.run(line) : { status: 'error', error: `There is no command ${word}.` };
    },
    async stop() {
      for (const { feature } of running.toReversed()) await feature.dispose();
    },
  };
}

import type { OperatorContext } from '../commands/operator-context.ts';
import { LongshoreError } from '../core/errors.ts';
import { agentId as asAgentId } from '../core/ids.ts';
import { silentLog } from '../core/ports/log.ts';
import type { Agent, Tool } from '../host/agent.ts';
import { type Host, openHost } from '../host/open-host.ts';
import type { AgentHost, HostCommand, HostTool } from './agent-host.ts';
import { hostCommands } from './host-commands.ts';

/**
 * The feature in the order of its life: made, initialised, and once all features of the host are loaded, restored. Its
 * disposal stops every server and takes all tools out of the host's registry.
 */
export interface McpFeature extends AsyncDisposable {
  readonly id: 'mcp';
  readonly commands: readonly HostCommand[];
  /** Opens the home; starts nothing. Rejects with `home-in-use`, `bad-setting`, `store-corrupt` … and then the host must not start. */
  initialize(): Promise<void>;
  /** Mounts what is saved, asleep until its first call; never rejects for a single server (R68). */
  restore(): Promise<void>;
  dispose(): Promise<void>;
}

/** See `McpFeature`. Throws `invalid-identity` where the host's `agentId` is no DID (R66). */
export function createMcpFeature(agentHost: AgentHost): McpFeature {
  const { registry, log = silentLog, home, env } = agentHost;
  const agentId = asAgentId(agentHost.agentId);
  let opened: { readonly host: Host; readonly agent: Agent; readonly context: OperatorContext } | undefined;
  let stopMirroring = (): void => {};

  function context(): OperatorContext {
    if (opened) return opened.context;
    throw new LongshoreError('usage', 'The mcp feature is not initialised yet, or not any more.');
  }

  /** The host sees a change in the tick in which it happens. */
  function mirror(agent: Agent, server: string): void {
    const tools = agent.tools().filter(tool => tool.server === server);
    try {
      registry?.replaceOwner(
        `mcp:${server}`,
        tools.map(tool => hostTool(agent, tool)),
      );
    } catch (error) {
      log.error({ err: error, server }, 'The agent host did not take the tools of a server.');
    }
  }

  async function dispose(): Promise<void> {
    const { host } = opened ?? {};
    await host?.dispose();
    opened = undefined;
    stopMirroring();
  }

  return {
    id: 'mcp',
    commands: hostCommands(context, log),
    async initialize() {
      if (opened) return;
      const host = await openHost({
        agentId,
        // The host's dispatch has asked by the time a call comes here.
        otherwise: 'allow',
        handleSignals: false,
        log,
        ...(home !== undefined && { home }),
        ...(env && { env }),
      });
      const operator = host.service().operator(agentId, 'plugin');
      const refusing = { ...operator, load: () => Promise.reject(noRegistry()) };
      opened = { host, agent: host.agent(), context: registry ? operator : refusing };
    },
    // Asynchronous to its host, which awaits every step of a feature's life.
    async restore() {
      if (!opened) throw new LongshoreError('usage', 'Initialise the mcp feature before it is restored.');
      const { host, agent } = opened;
      if (!registry) {
        log.warn({}, noRegistry().message);
        return;
      }
      stopMirroring();
      stopMirroring = host.service().onEvent(event => {
        if (event.type === 'tools' && event.agentId === agentId) mirror(agent, event.server);
      });
      for (const server of new Set(agent.tools().map(tool => tool.server))) mirror(agent, server);
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function hostTool(agent: Agent, { name, description, inputSchema, protocol_version, handle }: Tool): HostTool {
  return {
    name,
    description,
    inputSchema,
    protocol_version,
    async execute(args, { signal } = {}) {
      return (await agent.call(handle, args, signal ? { signal } : {})).result;
    },
  };
}

function noRegistry(): LongshoreError {
  return new LongshoreError(
    'not-available',
    'This agent host has no dynamic registry of tools, so no MCP server can be loaded: its tools would have no place.',
  );
}

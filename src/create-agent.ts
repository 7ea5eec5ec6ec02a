import type { Agent, ListedServer, LoadedServer, LoadOptions, Tool } from './agent.ts';
import { type ApprovalWatch, agentApprovals, agentAudit, agentRules } from './agent-governance.ts';
import type { PlanSettings } from './catalog/plan.ts';
import type { PlannedServer } from './config/planned-server.ts';
import type { MCPServerConfig } from './config/types.ts';
import type { Fleet, StartOptions } from './connections/fleet.ts';
import type { ServerMember } from './connections/server-member.ts';
import { LongshoreError } from './core/errors.ts';
import type { AgentId } from './core/ids.ts';
import type { JsonObject } from './core/json.ts';
import type { Ledger } from './core/ports/ledger.ts';
import type { Diagnostic, Handle } from './core/words.ts';
import type { Governance } from './governance/governance.ts';
import type { Registry } from './governance/registry.ts';

/** What an agent stands on; the host hands it in. */
export interface AgentNeeds {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly governance: Governance;
  readonly watch: ApprovalWatch;
  readonly ledger: Ledger;
  plan(ref: string | MCPServerConfig, settings: PlanSettings): Promise<PlannedServer>;
}

/** One agent's face of a host. */
export function createAgent(agentId: AgentId, needs: AgentNeeds): Agent {
  const { fleet, registry } = needs;
  const views = new WeakMap<Handle, Tool>();
  let disposing: Promise<void> | undefined;

  function viewOf(handle: Handle): Tool {
    const known = views.get(handle);
    if (known) return known;
    const view = toolView(handle);
    views.set(handle, view);
    return view;
  }

  function toolsOf({ serverKey }: ServerMember): readonly Tool[] {
    return registry.list(agentId, { ownerKey: serverKey, kind: 'tool' }).map(viewOf);
  }

  function find(ref: string): ServerMember {
    const member = fleet.find(agentId, ref);
    if (member) return member;
    const names = fleet.list(agentId).map(one => one.serverKey);
    const known = names.length === 0 ? 'no server is loaded' : `loaded are ${names.join(', ')}`;
    throw new LongshoreError('unknown-server', `There is no server ${JSON.stringify(ref)}: ${known}.`);
  }

  async function listed(member: ServerMember): Promise<ListedServer> {
    const { serverKey, planned, state, connection } = member;
    const holdings = await needs.ledger.list({ agentId, serverKey });
    return {
      server: serverKey,
      name: planned.name,
      kind: planned.kind,
      state: state.name,
      error: 'error' in state ? state.error : undefined,
      image: planned.image,
      holdings: holdings.map(holding => holding.engineId ?? holding.name ?? holding.id),
      transport: connection?.transport,
      protocol_version: connection?.protocolVersion,
      tools: toolsOf(member),
      diagnostics: diagnosticsOf(member),
    };
  }

  async function dispose(): Promise<void> {
    disposing ??= fleet.unloadAll(agentId);
    try {
      await disposing;
    } catch (error) {
      // What could not be cleaned up is kept, and the next dispose tries again (R54).
      disposing = undefined;
      throw error;
    }
  }

  return {
    agentId,
    async load(ref, options = {}) {
      const planned = await needs.plan(ref, options);
      const member = await fleet.load(agentId, planned, startOptions(options));
      return loadedServer(member, toolsOf(member));
    },
    async reload(ref, options = {}) {
      const { serverKey } = find(ref);
      const member = await fleet.reload(agentId, serverKey, startOptions(options));
      return loadedServer(member, toolsOf(member));
    },
    async unload(ref) {
      const { serverKey } = find(ref);
      const { process, handlesWithdrawn } = await fleet.unload(agentId, serverKey);
      return {
        server: serverKey,
        process_removed: process === 'removed' ? true : 'not_running',
        handles_withdrawn: handlesWithdrawn,
        saved_removed: 'not_saved',
      };
    },
    list: () => Promise.all(fleet.list(agentId).map(listed)),
    logs: ref => find(ref).stderrTail(),
    tools: () => registry.list(agentId, { kind: 'tool' }).map(viewOf),
    async call(tool, args = {}, options = {}) {
      const { signal = new AbortController().signal, ...limits } = options;
      // Where nobody watches, nobody would answer: the call is told so at once instead of waiting for ever (B8).
      const patience = needs.watch.watches(agentId) ? {} : { patience: 0 };
      const handle = typeof tool === 'string' ? tool : 'handle' in tool ? tool.handle : tool;
      const call = { agentId, caller: 'library', handle, arguments: args, ...patience, ...limits } as const;
      return await needs.governance.dispatch(call, signal);
    },
    rules: agentRules(agentId, needs.governance, registry),
    approvals: agentApprovals(agentId, needs.governance, needs.watch),
    audit: agentAudit(agentId, needs.governance),
    async cleanupMcpTransport(serverName) {
      const member = fleet.find(agentId, serverName);
      if (member) await fleet.unload(agentId, member.serverKey);
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function loadedServer(member: ServerMember, tools: readonly Tool[]): LoadedServer {
  const { connection, serverKey, planned } = member;
  if (!connection) throw new LongshoreError('connection-lost', `${serverKey} stopped as soon as it was loaded.`);
  return {
    server: serverKey,
    kind: planned.kind,
    transport: connection.transport,
    protocol_version: connection.protocolVersion,
    serverInfo: connection.serverInfo,
    instructions: connection.instructions,
    tools,
    diagnostics: diagnosticsOf(member),
  };
}

function diagnosticsOf({ planned, connection, discovery }: ServerMember): readonly Diagnostic[] {
  return [...planned.diagnostics, ...(connection?.diagnostics() ?? []), ...(discovery?.diagnostics ?? [])];
}

function startOptions({ signal, onPhase }: Pick<LoadOptions, 'signal' | 'onPhase'>): StartOptions {
  return { signal: signal ?? new AbortController().signal, onPhase: onPhase ?? (() => {}) };
}

function toolView(handle: Handle): Tool {
  const { description, inputSchema } = handle.definition;
  return Object.freeze({
    name: handle.handleName,
    server: handle.ownerKey,
    tool: handle.wireName,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: inputSchema as JsonObject,
    protocol_version: handle.protocolVersion,
    handle,
  });
}

import type { PlannedServer } from '../config/planned-server.ts';
import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import { plainNumbers } from '../core/exact-json.ts';
import type { AgentId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Handle } from '../core/words.ts';
import { isInScope } from '../governance/dispatch/caller-scope.ts';
import type { Governance } from '../governance/governance.ts';
import type { Registry } from '../governance/registry/registry.ts';
import type { Explanation } from '../runners/explanation.ts';
import type { StartOptions } from '../servers/fleet.ts';
import { loadServer, reloadServer } from '../servers/load-server.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { planFor } from '../servers/meant-by.ts';
import type { PlanSettings } from '../servers/plan.ts';
import type { SavedBook } from '../servers/saved-book.ts';
import { savedServers } from '../servers/saved-servers.ts';
import { serverInfos } from '../servers/server-infos.ts';
import { endServer, unloadServer } from '../servers/unload-server.ts';
import type { Agent, LoadedServer, LoadOptions, Tool } from './agent.ts';
import { type ApprovalWatch, agentApprovals, agentAudit, agentRules } from './agent-governance.ts';

/** Dependencies of an agent. */
export interface AgentDeps {
  readonly registry: Registry;
  readonly governance: Governance;
  readonly watch: ApprovalWatch;
  readonly saved: SavedBook;
  explain(planned: PlannedServer, agentId: AgentId): Promise<Explanation>;
}

/** One agent's face of a host. */
export function createAgent(agentId: AgentId, needs: AgentDeps): Agent {
  const { registry } = needs;
  const views = new WeakMap<Handle, Tool>();

  function viewOf(handle: Handle): Tool {
    const known = views.get(handle);
    if (known) return known;
    const view = toolView(handle);
    views.set(handle, view);
    return view;
  }

  function toolsOf({ serverKey }: ManagedServer): readonly Tool[] {
    return registry.list(agentId, { ownerKey: serverKey, kind: 'tool' }).map(viewOf);
  }

  async function explain(ref: string | MCPServerConfig, settings: PlanSettings = {}): Promise<Explanation> {
    return await needs.explain((await planFor(needs.saved, agentId, ref, settings)).planned, agentId);
  }

  // Not joined: what was asked for after an earlier one is ended too, and what that one left is tried again (R54).
  const dispose = () => needs.saved.endAll(agentId);

  return {
    agentId,
    async load(ref, options = {}) {
      const { signal, onPhase, save = false, actor = 'library', ...settings } = options;
      const request = { ref, settings, save, options: startOptions({ signal, onPhase }) };
      const { server, ...saving } = await loadServer(needs.saved, { agentId, actor }, request);
      return { ...saving, ...loadedServer(server, toolsOf(server)) };
    },
    async reload(ref, options = {}) {
      const member = await reloadServer(needs.saved, { agentId, actor: 'library' }, ref, startOptions(options));
      const row = await needs.saved.keyed(agentId, member.serverKey);
      return { ...loadedServer(member, toolsOf(member)), saved: row !== undefined, saveError: undefined };
    },
    unload: (ref, { actor = 'library' } = {}) => unloadServer(needs.saved, { agentId, actor }, ref),
    saved: (actor = 'library') => savedServers(needs.saved, { agentId, actor }),
    list: () => serverInfos(needs.saved, agentId),
    explain,
    async logs(ref) {
      const { running, saved } = await needs.saved.resolve(agentId, ref);
      if (!running && !saved) throw await needs.saved.unknown(agentId, ref);
      return running?.stderrTail() ?? [];
    },
    // The tools that manage servers are for clients; a program has the functions of this very agent.
    tools: () =>
      registry
        .list(agentId, { kind: 'tool' })
        .filter(handle => isInScope(handle, undefined))
        .map(viewOf),
    async call(tool, args = {}, options = {}) {
      const { signal = new AbortController().signal, ...limits } = options;
      // Where nobody watches, nobody would answer: the call is told so at once instead of waiting for ever (B8).
      const patience = needs.watch.watches(agentId) ? {} : { patience: 0 };
      const handle = typeof tool === 'string' ? tool : 'handle' in tool ? tool.handle : tool;
      const call = { agentId, caller: 'library', handle, arguments: args, ...patience, ...limits } as const;
      // A program calculates with numbers; whoever passes a result on gets it as it came.
      const dispatched = await needs.governance.dispatch(call, signal);
      return { ...dispatched, result: plainNumbers(dispatched.result) };
    },
    rules: agentRules(agentId, needs.governance, registry),
    approvals: agentApprovals(agentId, needs.governance, needs.watch),
    audit: agentAudit(agentId, needs.governance),
    async cleanupMcpTransport(serverName) {
      await endServer(needs.saved, agentId, serverName);
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function loadedServer(member: ManagedServer, tools: readonly Tool[]): Omit<LoadedServer, 'saved' | 'saveError'> {
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
    diagnostics: member.diagnostics(),
  };
}

function startOptions({
  signal,
  onPhase,
}: { [Option in 'signal' | 'onPhase']?: LoadOptions[Option] | undefined }): StartOptions {
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

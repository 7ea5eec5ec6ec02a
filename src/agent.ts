import type { PlannedServer } from './config/planned-server.ts';
import type { MCPServerConfig } from './config/types.ts';
import type { Fleet } from './connections/fleet.ts';
import type { ServerMember } from './connections/server-member.ts';
import { LongshoreError } from './core/errors.ts';
import type { AgentId, HandleName, ServerKey } from './core/ids.ts';
import type { JsonObject } from './core/json.ts';
import type { Diagnostic, Handle, Progress, ServerKind, TransportName } from './core/words.ts';
import type { Dispatch, Dispatched } from './governance/dispatcher.ts';
import type { Registry } from './governance/registry.ts';
import type { OnPhase } from './runners/runner.ts';

/** A mounted tool as an embedding program sees it; bound to the connection that advertised it (R40). */
export interface Tool {
  /** The handle's name: what `call` takes. */
  readonly name: HandleName;
  readonly server: ServerKey;
  /** The name that the server itself uses. */
  readonly tool: string;
  readonly description: string | undefined;
  /** Verbatim, as the server sent it (R37). */
  readonly inputSchema: JsonObject;
  /** The negotiated revision of its connection (R45). */
  readonly protocol_version: string;
  readonly handle: Handle;
}

export interface LoadOptions {
  /** Aborts the load; it then rejects only after everything that it opened is gone (R50). */
  readonly signal?: AbortSignal;
  readonly onPhase?: OnPhase;
}

/** A server that was loaded. */
export interface LoadedServer {
  readonly server: ServerKey;
  readonly kind: ServerKind;
  readonly transport: TransportName;
  readonly protocol_version: string;
  /** Verbatim, as the server introduced itself. */
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  /** Milliseconds without progress, and in all; waiting for a person counts in neither. */
  readonly idleTimeout?: number;
  readonly totalTimeout?: number;
}

/** Whoever owns servers and calls tools. Agents of one host never see each other's servers. */
export interface Agent extends AsyncDisposable {
  readonly agentId: AgentId;
  /** Starts a server and mounts its tools: a server ref (an image, a saved name), or a config (D1). */
  load(ref: string | MCPServerConfig, options?: LoadOptions): Promise<LoadedServer>;
  /** All tools that can be called now. */
  tools(): readonly Tool[];
  /**
   * Calls a tool through governed dispatch. A Tool or Handle is refused as `stale-handle` once its connection is gone;
   * a name means whichever tool has it now. A tool's own failure (`isError`) is a result, not an error.
   */
  call(tool: Tool | Handle | string, args?: JsonObject, options?: CallOptions): Promise<Dispatched>;
  /** Removes the server's container or process first, then closes its transport; awaited (R3). An unknown name is fine. */
  cleanupMcpTransport(serverName: string): Promise<void>;
  /** Cleans up every server of this agent (R4); rejects naming those that are left. A second call is a no-op. */
  dispose(): Promise<void>;
}

/** What an agent stands on; the host hands it in. */
export interface AgentNeeds {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly dispatch: Dispatch;
  plan(ref: string | MCPServerConfig): Promise<PlannedServer>;
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
      const planned = await needs.plan(ref);
      const signal = options.signal ?? new AbortController().signal;
      const member = await fleet.load(agentId, planned, { signal, onPhase: options.onPhase ?? (() => {}) });
      const tools = registry.list(agentId, { ownerKey: member.serverKey, kind: 'tool' }).map(viewOf);
      return loadedServer(member, tools);
    },
    tools: () => registry.list(agentId, { kind: 'tool' }).map(viewOf),
    async call(tool, args = {}, options = {}) {
      const { signal = new AbortController().signal, ...limits } = options;
      const handle = typeof tool === 'string' ? tool : 'handle' in tool ? tool.handle : tool;
      return await needs.dispatch({ agentId, caller: 'library', handle, arguments: args, ...limits }, signal);
    },
    async cleanupMcpTransport(serverName) {
      const member = fleet.list(agentId).find(one => one.planned.name === serverName || one.serverKey === serverName);
      if (member) await fleet.unload(agentId, member.serverKey);
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function loadedServer(member: ServerMember, tools: readonly Tool[]): LoadedServer {
  const { connection, serverKey, planned, discovery } = member;
  if (!connection) throw new LongshoreError('connection-lost', `${serverKey} stopped as soon as it was loaded.`);
  return {
    server: serverKey,
    kind: planned.kind,
    transport: connection.transport,
    protocol_version: connection.protocolVersion,
    serverInfo: connection.serverInfo,
    instructions: connection.instructions,
    tools,
    diagnostics: [...planned.diagnostics, ...connection.diagnostics(), ...(discovery?.diagnostics ?? [])],
  };
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

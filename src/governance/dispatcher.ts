import type { Connection } from '../connections/connection.ts';
import type { Mint } from '../core/authorisation.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, DispatchId, RandomId, ServerKey } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Caller, Diagnostic, Handle, HandleKind, Operation, Progress, RawResult } from '../core/words.ts';
import type { Registry } from './registry.ts';

/** One call of a tool, one read of a resource, or one request for a prompt, as an edge asks for it. */
export interface Call {
  readonly agentId: AgentId;
  readonly caller: Caller;
  /** A handle is bound to its connection (R40); a name means whichever handle has it now. */
  readonly handle: Handle | string;
  /** What the name is a name of; `tool` if not said. */
  readonly kind?: HandleKind;
  readonly arguments: JsonObject;
  /** Further `_meta` members to pass on (traceparent …). */
  readonly meta?: JsonObject;
  readonly onprogress?: (progress: Progress) => void;
  /** Milliseconds, see CallOptions of the connection. Waiting for a person counts in neither. */
  readonly idleTimeout?: number;
  readonly totalTimeout?: number;
}

/** What a call that ran gives back. A tool's own failure (`isError`) is a result, not an error. */
export interface Dispatched {
  /** Verbatim. */
  readonly result: RawResult;
  /** What is doubtful about the result, e.g. `output-mismatch`; never a reason to lose it. */
  readonly warnings: readonly Diagnostic[];
  readonly dispatchId: DispatchId;
}

/** The one way to a server's tools, resources and prompts. Rejects with a LongshoreError; the signal ends wait and call. */
export type Dispatch = (call: Call, signal: AbortSignal) => Promise<Dispatched>;

/** What dispatch needs of the many connections. */
export interface Fleet {
  /** The ready connection of a server, if it has one now. */
  connection(agentId: AgentId, ownerKey: ServerKey): Connection | undefined;
  /** The ready connection, after starting the server where it sleeps; its handles are mounted by then. */
  wake(agentId: AgentId, ownerKey: ServerKey, signal: AbortSignal): Promise<Connection>;
}

/** Everything that dispatch stands on. */
export interface DispatchNeeds {
  readonly registry: Registry;
  readonly fleet: Fleet;
  readonly mint: Mint;
  readonly randomId: RandomId;
}

const methods = { tool: 'tools/call', resource: 'resources/read', prompt: 'prompts/get' } as const satisfies Record<
  HandleKind,
  Operation['method']
>;

/** Dispatch over a registry and a fleet. */
export function createDispatch(needs: DispatchNeeds): Dispatch {
  const { registry, fleet } = needs;
  return async (call, signal) => {
    const dispatchId = needs.randomId() as DispatchId;
    const named = resolve(registry, call);
    using _hold = registry.hold(named.agentId, named.ownerKey);
    await wake(fleet, named, signal);
    const handle = resolve(registry, call);
    const sent = send(needs, handle, call, signal);
    return { result: await sent, warnings: [], dispatchId };
  };
}

function resolve(registry: Registry, call: Call): Handle {
  if (typeof call.handle === 'string') {
    const handle = registry.lookup(call.agentId, call.handle, call.kind);
    if (handle !== undefined) return handle;
    throw new LongshoreError(
      'unknown-tool',
      `There is no ${call.kind ?? 'tool'} ${JSON.stringify(call.handle)}. List them again to see what there is.`,
    );
  }
  const handle = call.handle.agentId === call.agentId ? registry.successor(call.handle) : undefined;
  if (handle !== undefined) return handle;
  throw stale(call.handle);
}

async function wake(fleet: Fleet, handle: Handle, signal: AbortSignal): Promise<void> {
  if (handle.epoch !== null && fleet.connection(handle.agentId, handle.ownerKey)?.epoch === handle.epoch) return;
  await fleet.wake(handle.agentId, handle.ownerKey, signal);
}

/** Re-checks the handle and writes, without giving way to anything in between (R40). */
function send(needs: DispatchNeeds, handle: Handle, call: Call, signal: AbortSignal): Promise<RawResult> {
  const connection = needs.fleet.connection(handle.agentId, handle.ownerKey);
  const { epoch } = handle;
  if (!needs.registry.isLive(handle) || epoch === null || connection?.epoch !== epoch) throw stale(handle);
  const authorisation = needs.mint({
    agentId: handle.agentId,
    epoch,
    method: methods[handle.kind],
    wireName: handle.wireName,
    arguments: call.arguments,
    definition: handle.definition,
    ...(call.meta === undefined ? {} : { meta: call.meta }),
  });
  return connection.call(authorisation, {
    signal,
    ...(call.onprogress === undefined ? {} : { onprogress: call.onprogress }),
    ...(call.idleTimeout === undefined ? {} : { idleTimeout: call.idleTimeout }),
    ...(call.totalTimeout === undefined ? {} : { totalTimeout: call.totalTimeout }),
  });
}

function stale(handle: Handle): LongshoreError {
  return new LongshoreError(
    'stale-handle',
    `${handle.handleName} belongs to a connection that is gone or has changed. List the tools again and call the new one.`,
  );
}

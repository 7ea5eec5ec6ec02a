import type { CallOptions } from '../../connections/connection.ts';
import type { Authorisation, Redeem } from '../../core/authorisation.ts';
import { defaultDeadlines } from '../../core/deadlines.ts';
import { LongshoreError } from '../../core/errors.ts';
import { type AgentId, type Epoch, ownServerKey, type RandomId, type ServerKey } from '../../core/ids.ts';
import type { Definition, Operation, RawResult } from '../../core/words.ts';
import type { Fleet, LiveConnection } from '../../governance/dispatch/call.ts';
import { discoveredHandles } from '../../governance/registry/discovered-handles.ts';
import type { Registry } from '../../governance/registry/registry.ts';

/** Dependencies of the built-in server. */
export interface OwnServerDeps {
  readonly registry: Registry;
  /** The same that real connections have: nothing is done without the dispatcher's leave. */
  readonly redeem: Redeem;
  readonly randomId: RandomId;
  readonly tools: readonly Definition[];
  /** Does what a tool does. A LongshoreError of it is the call's; what the tool itself has to say is in the result. */
  run(operation: Operation, options: Required<Pick<CallOptions, 'signal' | 'onprogress'>>): Promise<RawResult>;
}

/** Longshore as a server of its own: handles in the registry and a connection behind them, like any other's, in this process. */
export interface OwnServer {
  /** Mounts the tools for an agent; from then on there is a connection. Who sees them is the scopes' matter. */
  enable(agentId: AgentId): void;
  /** The fleet as dispatch sees it, with this server in it. */
  among(fleet: Fleet): Fleet;
}

const protocolVersion = '2026-07-28';

/** See `OwnServer`. */
export function createOwnServer(needs: OwnServerDeps): OwnServer {
  const connections = new Map<AgentId, LiveConnection>();

  function connect(epoch: Epoch): LiveConnection {
    return { epoch, state: { name: 'ready' }, call: (leave, options = {}) => answer(needs, epoch, leave, options) };
  }

  return {
    enable(agentId) {
      if (connections.has(agentId)) return;
      const epoch = needs.randomId() as Epoch;
      const { handles } = discoveredHandles({
        agentId,
        serverKey: ownServerKey,
        epoch,
        protocolVersion,
        tools: needs.tools,
        resources: [],
        templates: [],
        prompts: [],
      });
      connections.set(agentId, connect(epoch));
      needs.registry.replaceOwner(agentId, ownServerKey, handles, 'load');
    },
    among: fleet => ({
      connection: (agentId, key) => (isOwn(key) ? connections.get(agentId) : fleet.connection(agentId, key)),
      async wake(agentId, key, signal) {
        const own = isOwn(key) ? connections.get(agentId) : undefined;
        return own ?? (await fleet.wake(agentId, key, signal));
      },
    }),
  };
}

function isOwn(key: ServerKey): boolean {
  return key === ownServerKey;
}

/** Runs one operation within its time in all; its idle limit is for servers that may have died, and this one has not. */
async function answer(
  needs: OwnServerDeps,
  epoch: Epoch,
  leave: Authorisation,
  options: CallOptions,
): Promise<RawResult> {
  const operation = needs.redeem(leave);
  if (operation.epoch !== epoch) {
    throw new LongshoreError('forged-authorisation', 'This leave is for another connection.');
  }
  const { signal: given, onprogress = () => {}, totalTimeout = defaultDeadlines.callTotal } = options;
  const limit = AbortSignal.timeout(totalTimeout);
  const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
  try {
    return await needs.run(operation, { signal, onprogress });
  } catch (error) {
    if (given?.aborted) throw new LongshoreError('cancelled', 'The call was cancelled.', { cause: error });
    if (!limit.aborted) throw error;
    throw new LongshoreError('timeout', `It took longer than ${totalTimeout} ms in all.`, { cause: error });
  }
}

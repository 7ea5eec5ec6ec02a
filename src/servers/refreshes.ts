import type { PlannedServer } from '../config/planned-server.ts';
import type { Discovery } from '../connections/connection.ts';
import { UnfinishedStart } from '../connections/connection-request.ts';
import { LongshoreError } from '../core/errors.ts';
import { type AgentId, serverKey } from '../core/ids.ts';
import type { Definition, Diagnostic } from '../core/words.ts';
import { discoveredHandles } from '../governance/registry/discovered-handles.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { SavedServer } from '../store/servers.ts';
import { entryOf } from './definition-cache.ts';
import { mayStart } from './may-start.ts';
import type { SavedBook } from './saved-book.ts';
import { plannedOf } from './saved-plan.ts';

/** What a server was found to offer. */
export interface RefreshedTools {
  readonly tools: readonly Definition[];
  readonly protocol_version: string;
  readonly diagnostics: readonly Diagnostic[];
}

interface Running {
  readonly agentId: AgentId;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
}

/** Listings of saved servers on connections of their own, one at a time per server. */
export class Refreshes {
  readonly #running = new Map<string, Running>();
  #open = true;

  /**
   * Starts the server once more beside the one that may run, lists it, ends it, and keeps what it offers. Rejects with
   * `already-running`, `server-disabled`, `cancelled`, or why it does not start or list; nothing of it is left then.
   */
  async run(
    book: SavedBook,
    agentId: AgentId,
    ref: string,
    signal: AbortSignal,
    onPhase: OnPhase,
  ): Promise<RefreshedTools> {
    const row = await book.find(agentId, ref);
    mayStart(book, row);
    if (!this.#open) throw new LongshoreError('server-closing', 'This host is closing; it starts no more servers.');
    if (this.#running.has(row.serverId)) {
      throw new LongshoreError('already-running', `The tools of ${row.name} are being listed already. Wait for that.`);
    }
    const abort = new AbortController();
    const refreshed = this.#refresh(book, row, AbortSignal.any([signal, abort.signal]), onPhase);
    this.#running.set(row.serverId, { agentId, abort, done: refreshed.catch(() => undefined) });
    try {
      return await refreshed;
    } finally {
      this.#running.delete(row.serverId);
    }
  }

  /** Ends a listing of that server, if there is one; resolves when nothing of it is left. */
  async stop(serverId: string): Promise<void> {
    const running = this.#running.get(serverId);
    running?.abort.abort(new LongshoreError('cancelled', 'The server was stopped or changed while it was listed.'));
    await running?.done;
  }

  /** The same for all servers of an agent. */
  async stopAll(agentId: AgentId): Promise<void> {
    const own = [...this.#running].filter(([, running]) => running.agentId === agentId);
    await Promise.all(own.map(([serverId]) => this.stop(serverId)));
  }

  async close(): Promise<void> {
    this.#open = false;
    await Promise.all([...this.#running.keys()].map(serverId => this.stop(serverId)));
  }

  async #refresh(book: SavedBook, row: SavedServer, signal: AbortSignal, onPhase: OnPhase): Promise<RefreshedTools> {
    const { agentId, serverKey: key, serverId } = row;
    const { fleet, cache } = book.needs;
    const { discovery, protocolVersion } = await list(book, row, signal, onPhase);
    const found = { agentId, serverKey: key, epoch: null, protocolVersion, ...discovery };
    const { handles, diagnostics } = discoveredHandles(found);
    await cache.keep(serverId, handles.map(entryOf), discovery.said);
    fleet.offer(agentId, key, { discovery, protocolVersion });
    return {
      tools: discovery.tools,
      protocol_version: protocolVersion,
      diagnostics: [...discovery.diagnostics, ...diagnostics],
    };
  }
}

interface Listed {
  readonly discovery: Discovery;
  readonly protocolVersion: string;
}

async function list(book: SavedBook, row: SavedServer, signal: AbortSignal, onPhase: OnPhase): Promise<Listed> {
  const planned = plannedOf(row);
  const member = book.needs.fleet.server(row.agentId, row.serverKey);
  const beside = () => listBeside(book, row, planned, signal, onPhase);
  if (!member || planned.kind !== 'docker-image') return await beside();
  // There is one container of an image for each agent (R55): the live one is listed once more, which disturbs no call,
  // and where none is live no start must meet ours.
  return await member.aside(async live => {
    signal.throwIfAborted();
    if (!live) return await beside();
    return { discovery: await live.discover(signal), protocolVersion: live.protocolVersion };
  });
}

async function listBeside(
  book: SavedBook,
  { agentId }: SavedServer,
  planned: PlannedServer,
  signal: AbortSignal,
  onPhase: OnPhase,
): Promise<Listed> {
  const { connect, reclaim, deadlines, randomId } = book.needs;
  // A key of its own: what the ledger and the watchdog have under it is never taken for the live server's.
  const scope = serverKey(`refresh-${randomId()}`);
  try {
    const within = { ...deadlines, ...planned.deadlines };
    const connection = await connect({ agentId, serverKey: scope, planned, deadlines: within, signal, onPhase });
    try {
      onPhase('listing');
      return { discovery: await connection.discover(signal), protocolVersion: connection.protocolVersion };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof UnfinishedStart) await error.close();
    await reclaim(agentId, scope);
    throw error;
  }
}

import type { PlannedServer } from '../config/planned-server.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { MountReason } from '../core/ports/mount.ts';
import type { WithdrawReason } from '../core/words.ts';
import type { OnPhase, OpenPhase } from '../runners/runner.ts';
import type { Connection, Discovery } from './connection.ts';
import { UnfinishedStart } from './connection-request.ts';
import type { FleetNeeds } from './fleet-needs.ts';
import { SerialQueue } from './serial-queue.ts';

/** Where one server of the fleet is. */
export type ServerState =
  | { readonly name: 'stopped' }
  | { readonly name: 'starting'; readonly phase: OpenPhase; readonly detail?: string }
  | { readonly name: 'connected' }
  | { readonly name: 'closing' }
  | { readonly name: 'failed'; readonly error: LongshoreError }
  | { readonly name: 'close-failed'; readonly error: LongshoreError };

/** What stopping a server did; `process` is `failed` only inside the error that then follows (R60). */
export interface StopOutcome {
  readonly process: 'removed' | 'not-running';
  readonly handlesWithdrawn: number;
}

/** One server of the fleet over all its connections: starts, reloads and stops it, one transition at a time (R63). */
export class ServerMember {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly #needs: FleetNeeds;
  readonly #queue = new SerialQueue();
  #planned: PlannedServer;
  #state: ServerState = { name: 'stopped' };
  #connection: Connection | undefined;
  #discovery: Discovery | undefined;
  /** Retries the cleaning up of a start that left something behind (R54). */
  #unfinished: (() => Promise<void>) | undefined;
  #starting: AbortController | undefined;
  #lastStderr: readonly string[] = [];

  constructor(agentId: AgentId, serverKey: ServerKey, planned: PlannedServer, needs: FleetNeeds) {
    this.agentId = agentId;
    this.serverKey = serverKey;
    this.#planned = planned;
    this.#needs = needs;
  }

  get planned(): PlannedServer {
    return this.#planned;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The live connection; undefined unless connected. */
  get connection(): Connection | undefined {
    return this.#state.name === 'connected' ? this.#connection : undefined;
  }

  get discovery(): Discovery | undefined {
    return this.#discovery;
  }

  /** The newest lines of stderr, also of a start that failed or a connection that ended. */
  stderrTail(): readonly string[] {
    return this.#connection?.stderrTail() ?? this.#lastStderr;
  }

  /** Starts it unless it runs; callers that come while it starts share the outcome of their turn. */
  start(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    return this.#queue.run(async () => this.connection ?? (await this.#open(signal, onPhase)));
  }

  /** Stops it and starts it anew, with another plan if one is given (R40: every handle is withdrawn). */
  reload(planned: PlannedServer | undefined, signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    this.#starting?.abort(new LongshoreError('cancelled', `The start of ${this.serverKey} was replaced by a reload.`));
    return this.#queue.run(async () => {
      await this.#close('reload');
      if (planned) this.#planned = planned;
      return await this.#open(signal, onPhase);
    });
  }

  /** Stops it for good: a start in progress is aborted and joined first (R3, R63). Rejects with `close-failed` (R54). */
  stop(reason: WithdrawReason): Promise<StopOutcome> {
    this.#starting?.abort(new LongshoreError('cancelled', `The start of ${this.serverKey} was stopped.`));
    return this.#queue.run(() => this.#close(reason));
  }

  async #open(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    if (this.#state.name === 'close-failed') await this.#close('reload');
    const starting = new AbortController();
    this.#starting = starting;
    const phased: OnPhase = (phase, detail) => {
      this.#become({ name: 'starting', phase, ...(detail !== undefined && { detail }) });
      onPhase(phase, detail);
    };
    phased('looking-up');
    try {
      const connection = await this.#connect(AbortSignal.any([signal, starting.signal]), phased);
      this.#become({ name: 'connected' });
      return connection;
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  async #connect(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    const { agentId, serverKey } = this;
    const deadlines: Deadlines = { ...this.#needs.deadlines, ...this.#planned.deadlines };
    const connection = await this.#needs.connect({
      agentId,
      serverKey,
      planned: this.#planned,
      deadlines,
      signal,
      onPhase,
    });
    this.#connection = connection;
    try {
      onPhase('listing');
      await this.#list(connection, signal, 'load');
    } catch (error) {
      await this.#abandon(connection, error);
      throw error;
    }
    connection.onListChanged(() => void this.#relist(connection));
    // Observed for the life of the connection; a failure inside is turned into this server's state.
    void connection.ended.then(({ reason }) => this.#lost(connection, reason));
    return connection;
  }

  async #list(connection: Connection, signal: AbortSignal, reason: MountReason): Promise<void> {
    const discovery = await connection.discover(signal);
    this.#discovery = discovery;
    const { agentId, serverKey } = this;
    const { epoch, protocolVersion } = connection;
    this.#needs.mount.mount({ agentId, serverKey, epoch, protocolVersion, ...discovery }, reason);
  }

  /** A changed list is read in its turn; unchanged definitions keep their handles (R43). */
  async #relist(connection: Connection): Promise<void> {
    await this.#queue.run(async () => {
      if (this.connection !== connection) return;
      try {
        await this.#list(connection, AbortSignal.timeout(this.#needs.deadlines.discovery), 'list-changed');
      } catch (error) {
        this.#needs.log.warn({ server: this.serverKey, error: String(error) }, 'The changed list could not be read.');
      }
    });
  }

  /** The server went away by itself: its handles are withdrawn at once, its leftovers removed in turn. */
  async #lost(connection: Connection, reason: string): Promise<void> {
    if (this.#connection !== connection || this.#state.name === 'closing') return;
    this.#needs.mount.withdraw(this.agentId, this.serverKey, 'connection-lost');
    this.#fail(new LongshoreError('connection-lost', `${this.serverKey} stopped: ${reason}`));
    await this.#queue.run(async () => {
      if (this.#connection === connection) await this.#abandon(connection, this.#error());
    });
  }

  /** Closes a connection that is of no more use; what stays behind is kept for a retry, and said. */
  async #abandon(connection: Connection, cause: unknown): Promise<void> {
    this.#lastStderr = connection.stderrTail();
    try {
      await connection.close();
      this.#connection = undefined;
    } catch (error) {
      this.#become({ name: 'close-failed', error: asLongshoreError(error, 'close-failed') });
      throw new AggregateError([cause, error], `${this.serverKey} failed and could not be cleaned up.`);
    }
  }

  async #close(reason: WithdrawReason): Promise<StopOutcome> {
    const handlesWithdrawn = this.#needs.mount.withdraw(this.agentId, this.serverKey, reason);
    const ran = this.#connection !== undefined || this.#unfinished !== undefined;
    this.#become({ name: 'closing' });
    try {
      if (this.#connection) {
        this.#lastStderr = this.#connection.stderrTail();
        await this.#connection.close();
      }
      await this.#unfinished?.();
      // Whatever the ledger still has of this server, a failed start left for inspection (R58, R62).
      const reclaimed = await this.#needs.reclaim(this.agentId, this.serverKey);
      this.#connection = undefined;
      this.#unfinished = undefined;
      this.#discovery = undefined;
      this.#become({ name: 'stopped' });
      return { process: ran || reclaimed > 0 ? 'removed' : 'not-running', handlesWithdrawn };
    } catch (error) {
      const failure = asLongshoreError(error, 'close-failed');
      this.#become({ name: 'close-failed', error: failure });
      throw failure;
    }
  }

  #fail(error: unknown): void {
    if (this.#state.name === 'close-failed') return;
    if (error instanceof UnfinishedStart) {
      this.#unfinished = error.close;
      this.#become({ name: 'close-failed', error });
    } else {
      this.#become({ name: 'failed', error: asLongshoreError(error) });
    }
  }

  #error(): LongshoreError | undefined {
    return this.#state.name === 'failed' || this.#state.name === 'close-failed' ? this.#state.error : undefined;
  }

  #become(state: ServerState): void {
    this.#state = state;
    this.#needs.onState(this);
  }
}

import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Discovery } from '../connections/connection.ts';
import { UnfinishedStart } from '../connections/connection-request.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { ServerLife } from '../core/server-life.ts';
import type { Diagnostic, SelfDescription, WithdrawReason } from '../core/words.ts';
import type { OnPhase } from '../runners/runner.ts';
import { engineAway } from './engine-away.ts';
import type { ServerDeps } from './fleet-deps.ts';
import { programOf } from './program-of.ts';
import { ServerListing } from './server-listing.ts';
import type { ServerSlot } from './server-slot.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';
import { StderrHistory } from './stderr-history.ts';

/** What stopping a server did; a process that could not be ended is an error instead (R60). */
export interface StopOutcome {
  /** `removed`: something of it was there and was seen to be gone. */
  readonly process: 'removed' | 'not-running';
  readonly handlesWithdrawn: number;
}

/**
 * One server of the fleet over all its connections. `start`, `sleep` and `aside` wait for their turn in its slot (R63);
 * `open`, `reopen` and `close` are the transitions themselves, for whoever has the turn.
 */
export class ManagedServer {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly subscriptions: ServerSubscriptions;
  readonly #slot: ServerSlot<ManagedServer>;
  readonly #deps: ServerDeps;
  readonly #listing: ServerListing;
  readonly #stderr = new StderrHistory();
  #planned: PlannedServer;
  #state: ServerLife = { name: 'stopped' };
  #connection: Connection | undefined;
  /** Retries the cleaning up of a start that left something behind (R54). */
  #unfinished: (() => Promise<void>) | undefined;

  constructor(slot: ServerSlot<ManagedServer>, planned: PlannedServer, deps: ServerDeps) {
    const { agentId, serverKey } = slot;
    this.agentId = agentId;
    this.serverKey = serverKey;
    this.#slot = slot;
    this.#planned = planned;
    this.#deps = deps;
    this.#listing = new ServerListing(deps.mount, () => {
      const { names, allowedTools, deniedTools } = this.planned.config;
      return { agentId, serverKey, names, allowedTools, deniedTools, program: programOf(this.planned) };
    });
    this.subscriptions = new ServerSubscriptions(deps.log);
  }

  get planned(): PlannedServer {
    return this.#planned;
  }

  get state(): ServerLife {
    return this.#state;
  }

  /** The live connection; undefined unless connected. */
  get connection(): Connection | undefined {
    return this.#state.name === 'connected' ? this.#connection : undefined;
  }

  get discovery(): Discovery | undefined {
    return this.#listing.discovery;
  }

  /** What it says of itself, or said when it was last seen. */
  get lastSaid(): SelfDescription | undefined {
    return this.discovery?.said;
  }

  /** What of its lists could not be read or mounted. */
  get listDiagnostics(): readonly Diagnostic[] {
    return this.#listing.diagnostics;
  }

  /** Everything that is odd about it: its config, its connection, its lists. */
  diagnostics(): readonly Diagnostic[] {
    return [...this.planned.diagnostics, ...(this.connection?.diagnostics() ?? []), ...this.listDiagnostics];
  }

  /** The newest lines of stderr, also of a start that failed or a connection that ended. */
  stderrTail(): readonly string[] {
    return this.#stderr.tail(this.#connection);
  }

  /** How many lines it has written since it was first started, however often it was started anew. */
  stderrCount(): number {
    return this.#stderr.count(this.#connection);
  }

  /** Starts it unless it runs. Rejects with `cancelled` if it was stopped, or is not there any more when its turn comes. */
  start(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    return this.#slot.start(async unwanted => {
      if (this.#slot.server !== this) throw this.#slot.cancelled('stopped');
      // Whoever asked does not wait any more, which says nothing about the server.
      if (signal.aborted) throw this.#slot.cancelled('cancelled');
      return await this.open(AbortSignal.any([signal, unwanted]), onPhase);
    });
  }

  /**
   * Ends its connection but keeps its handles, dormant, so that the next call wakes it. Does nothing unless it is
   * connected and `mayRest` still says so when its turn comes.
   */
  sleep(mayRest: () => boolean): Promise<void> {
    return this.#slot.run(async () => {
      const { connection } = this;
      if (!connection || !mayRest()) return;
      this.#listing.offerDormant(connection.protocolVersion, 'sleep');
      this.#become({ name: 'closing' });
      await this.#abandon(connection);
      this.#become({ name: 'stopped' });
    });
  }

  /** Does something that must not meet a start or a stop of it, in its turn; with its live connection if it has one. */
  aside<Value>(task: (live: Connection | undefined) => Promise<Value>): Promise<Value> {
    return this.#slot.run(() => task(this.connection));
  }

  /** Mounts what it was seen to offer, so that it can be listed and called without running. */
  offerDormant(discovery: Discovery, protocolVersion: string): void {
    this.#listing.offerDormant(protocolVersion, 'load', discovery);
  }

  /** Takes a plan for its next start that means the same server. */
  replan(planned: PlannedServer): void {
    this.#planned = planned;
    this.#slot.identity = planned.identity;
  }

  /** Its live connection, or a new one. Rejects with why it does not start, which is its state then too. */
  async open(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    if (this.connection) return this.connection;
    if (this.#state.name === 'close-failed') await this.close('reload');
    const phased: OnPhase = (phase, detail) => {
      this.#become({ name: 'starting', phase, ...(detail !== undefined && { detail }) });
      onPhase(phase, detail);
    };
    phased('looking-up');
    try {
      await this.#endLeftovers();
      const connection = await this.#connect(signal, phased);
      this.#become({ name: 'connected' });
      this.#watch(connection);
      return connection;
    } catch (error) {
      this.#fail(error);
      throw engineAway(error, this.serverKey) ?? error;
    }
  }

  /** Ends it and opens it again, with another plan if one is given (R40: every handle is withdrawn). */
  async reopen(planned: PlannedServer | undefined, signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    await this.close('reload');
    if (planned) this.replan(planned);
    return await this.open(signal, onPhase);
  }

  /** Ends whatever there is of it, and withdraws its handles first (R41). Rejects with `close-failed` (R54). */
  async close(reason: WithdrawReason): Promise<StopOutcome> {
    const handlesWithdrawn = this.#listing.withdraw(reason);
    const ran = this.#connection !== undefined || this.#unfinished !== undefined;
    this.#become({ name: 'closing' });
    try {
      await this.#connection?.close();
      await this.#unfinished?.();
      // Whatever the ledger still has of this server, a failed start left for inspection (R58, R62).
      const reclaimed = await this.#deps.reclaim(this.agentId, this.serverKey);
      if (this.#connection) this.#putAway(this.#connection);
      this.#unfinished = undefined;
      this.#listing.forget();
      this.#become({ name: 'stopped' });
      return { process: ran || reclaimed > 0 ? 'removed' : 'not-running', handlesWithdrawn };
    } catch (error) {
      const failure = asLongshoreError(error, 'close-failed');
      this.#become({ name: 'close-failed', error: failure });
      throw failure;
    }
  }

  async #connect(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    const { agentId, serverKey, planned } = this;
    const deadlines = { ...this.#deps.deadlines, ...planned.deadlines };
    const olderEra = this.lastSaid?.olderEra;
    const connection = await this.#deps.connect({
      agentId,
      serverKey,
      planned,
      ...(olderEra && { olderEra }),
      deadlines,
      signal,
      onPhase,
    });
    this.#connection = connection;
    connection.onNotice(notice => this.#deps.onNotice(this, notice));
    try {
      onPhase('listing');
      await this.#listing.read(connection, signal);
    } catch (error) {
      await this.#abandon(connection, error);
      throw error;
    }
    return connection;
  }

  /** For the life of the connection; nobody waits for what comes of it, which its state, its list or the log tells. */
  #watch(connection: Connection): void {
    connection.onListChanged(() => void this.#slot.run(() => this.#relist(connection)));
    this.subscriptions.attach(connection);
    void connection.ended.then(({ reason }) => this.#lost(connection, reason));
  }

  /** Unchanged definitions keep their handles (R43). */
  async #relist(connection: Connection): Promise<void> {
    if (this.connection !== connection) return;
    try {
      await this.#listing.read(connection, AbortSignal.timeout(this.#deps.deadlines.discovery), 'list-changed');
    } catch (error) {
      this.#deps.log.warn({ server: this.serverKey, error: String(error) }, 'The changed list could not be read.');
    }
  }

  /**
   * The server went away by itself: its handles are withdrawn at once, and where it comes back dormant ones stand in their
   * place, so that the next call waits for it. Its leftovers are removed in turn.
   */
  async #lost(connection: Connection, reason: string): Promise<void> {
    if (this.#connection !== connection || this.#state.name === 'closing') return;
    const error = new LongshoreError('connection-lost', `${this.serverKey} stopped: ${reason}`);
    this.#listing.withdraw('connection-lost');
    if (this.#deps.comesBack(this)) this.#listing.offerDormant(connection.protocolVersion, 'load');
    this.#fail(error);
    try {
      await this.#slot.run(async () => {
        if (this.#connection === connection) await this.#abandon(connection, error);
      });
    } catch (left) {
      // It is this server's state by now, and a later unload tries again (R54).
      this.#deps.onStuck(this);
      this.#deps.log.warn({ server: this.serverKey }, asLongshoreError(left).message);
    }
  }

  /** Closes a connection that is of no more use; what stays behind is kept for a retry, and said (R54). */
  async #abandon(connection: Connection, cause?: unknown): Promise<void> {
    try {
      await connection.close();
      this.#putAway(connection);
    } catch (error) {
      const away = engineAway(error, this.serverKey);
      if (away) {
        // Its next call ends what is left of it, and starts it anew (R67).
        this.#listing.keepDormant(connection.protocolVersion);
        this.#become({ name: 'failed', error: away });
        throw away;
      }
      const failure = asLongshoreError(error, 'close-failed');
      this.#become({ name: 'close-failed', error: failure });
      throw cause === undefined
        ? failure
        : new LongshoreError('close-failed', `${asLongshoreError(cause).message} And then: ${failure.message}`, {
            cause: new AggregateError([cause, error]),
          });
    }
  }

  /** What an engine that was away has kept from being ended goes before anything new is started. */
  async #endLeftovers(): Promise<void> {
    if (this.#connection) await this.#abandon(this.#connection);
    await this.#unfinished?.();
    this.#unfinished = undefined;
  }

  #putAway(connection: Connection): void {
    this.#stderr.keep(connection);
    this.#connection = undefined;
  }

  #fail(error: unknown): void {
    if (this.#state.name === 'close-failed') return;
    if (!this.#connection) this.#stderr.keepFailure(error);
    if (error instanceof UnfinishedStart) this.#unfinished = error.close;
    const away = engineAway(error, this.serverKey);
    const failure = away ?? asLongshoreError(error);
    const isLeft = error instanceof UnfinishedStart && !away;
    this.#become(isLeft ? { name: 'close-failed', error: failure } : this.#deps.afterFailure(this, failure));
  }

  #become(state: ServerLife): void {
    this.#state = state;
    this.#deps.onState(this);
  }
}

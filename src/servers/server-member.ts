import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Discovery } from '../connections/connection.ts';
import { UnfinishedStart } from '../connections/connection-request.ts';
import type { Deadlines } from '../core/deadlines.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { MountReason } from '../core/ports/mount.ts';
import type { SelfDescription, WithdrawReason } from '../core/words.ts';
import { Mutex } from '../lib/mutex.ts';
import type { OnPhase, OpenPhase } from '../runners/runner.ts';
import { engineAway } from './engine-away.ts';
import type { MemberNeeds } from './fleet-needs.ts';
import { ServerWishes } from './server-wishes.ts';

/** Where one server of the fleet is. */
export type ServerState =
  | { readonly name: 'stopped' }
  | { readonly name: 'starting'; readonly phase: OpenPhase; readonly detail?: string }
  | { readonly name: 'connected' }
  | { readonly name: 'closing' }
  | { readonly name: 'failed'; readonly error: LongshoreError }
  /** It ended by itself or did not start, and is started again at that time (milliseconds since 1970). */
  | {
      readonly name: 'restarting';
      readonly error: LongshoreError;
      readonly attempt: number;
      readonly of: number;
      readonly at: number;
    }
  /** It ended too often: only a restart by a person or a change of its config starts it again. */
  | { readonly name: 'crash-loop'; readonly error: LongshoreError }
  | { readonly name: 'close-failed'; readonly error: LongshoreError };

/** What stopping a server did; `process` is `failed` only inside the error that then follows (R60). */
export interface StopOutcome {
  readonly process: 'removed' | 'not-running';
  readonly handlesWithdrawn: number;
}

const nothing: Discovery = { tools: [], resources: [], templates: [], prompts: [], diagnostics: [] };

/** One server of the fleet over all its connections: starts, reloads and stops it, one transition at a time (R63). */
export class ServerMember {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly wishes: ServerWishes;
  readonly #needs: MemberNeeds;
  readonly #queue = new Mutex();
  #planned: PlannedServer;
  #state: ServerState = { name: 'stopped' };
  #connection: Connection | undefined;
  #discovery: Discovery | undefined;
  /** Retries the cleaning up of a start that left something behind (R54). */
  #unfinished: (() => Promise<void>) | undefined;
  #starting: AbortController | undefined;
  /** Counts the stops: a start that was asked for before the newest one is not wanted any more. */
  #stops = 0;
  /** True while its handles are dormant ones, waiting for a call to wake it. */
  #dormant = false;
  #lastStderr: readonly string[] = [];
  /** How many lines earlier connections and failed starts wrote. */
  #earlierLines = 0;

  constructor(agentId: AgentId, serverKey: ServerKey, planned: PlannedServer, needs: MemberNeeds) {
    this.agentId = agentId;
    this.serverKey = serverKey;
    this.#planned = planned;
    this.#needs = needs;
    this.wishes = new ServerWishes(needs.log);
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

  /** What it says of itself, or said when it was last seen. */
  get lastSaid(): SelfDescription | undefined {
    return this.#discovery?.said;
  }

  /** The newest lines of stderr, also of a start that failed or a connection that ended. */
  stderrTail(): readonly string[] {
    return this.#connection?.stderrTail() ?? this.#lastStderr;
  }

  /** How many lines it has written since it was first started, however often it was started anew. */
  stderrCount(): number {
    return this.#earlierLines + (this.#connection?.stderrCount() ?? 0);
  }

  /** Starts it unless it runs; callers that come while it starts share the outcome of their turn. */
  start(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    return this.#turn(async () => this.connection ?? (await this.#open(signal, onPhase)));
  }

  /** Stops it and starts it anew, with another plan if one is given (R40: every handle is withdrawn). */
  reload(planned: PlannedServer | undefined, signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    this.#starting?.abort(this.#stopped('replaced by a reload'));
    return this.#turn(async () => {
      await this.#close('reload');
      if (planned) this.#planned = planned;
      return await this.#open(signal, onPhase);
    });
  }

  /** Stops it for good: starts in progress are aborted and joined first (R3, R63). Rejects with `close-failed` (R54). */
  stop(reason: WithdrawReason): Promise<StopOutcome> {
    this.#stops += 1;
    this.#starting?.abort(this.#stopped('stopped'));
    return this.#queue.run(() => this.#close(reason));
  }

  /**
   * Ends its connection but keeps its handles, dormant, so that the next call wakes it (design.md, "Lazy"). Does nothing
   * unless it is connected and `mayRest` still says so when its turn comes.
   */
  sleep(mayRest: () => boolean): Promise<void> {
    return this.#queue.run(async () => {
      const { connection } = this;
      if (!connection || !mayRest()) return;
      this.offerDormant(this.#discovery ?? nothing, connection.protocolVersion, 'sleep');
      this.#become({ name: 'closing' });
      await this.#abandon(connection);
      this.#become({ name: 'stopped' });
    });
  }

  /** Mounts what it offered when it was last seen, so that it can be listed and called without running. */
  offerDormant(discovery: Discovery, protocolVersion: string, reason: MountReason): void {
    const { agentId, serverKey } = this;
    this.#discovery = discovery;
    this.#dormant = true;
    this.#needs.mount.mount(
      { agentId, serverKey, epoch: null, protocolVersion, names: this.planned.config.names, ...discovery },
      reason,
    );
  }

  /** Does something that must not meet a start or a stop of it, in its turn; with its live connection if it has one. */
  aside<Value>(task: (live: Connection | undefined) => Promise<Value>): Promise<Value> {
    return this.#queue.run(() => task(this.connection));
  }

  /** Takes a plan for its next start that means the same server. */
  replan(planned: PlannedServer): void {
    this.#planned = planned;
  }

  /** Says that it waits for its next start, or will have none; the supervisor decides which. */
  await(state: Extract<ServerState, { name: 'restarting' | 'crash-loop' }>): void {
    if (this.#state.name === 'failed') this.#become(state);
  }

  /** One transition in its turn, unless a stop that came after the request was asked for has made it unwanted. */
  #turn(transition: () => Promise<Connection>): Promise<Connection> {
    const stops = this.#stops;
    return this.#queue.run(() => {
      if (stops !== this.#stops) throw this.#stopped('stopped');
      return transition();
    });
  }

  #stopped(how: string): LongshoreError {
    return new LongshoreError('cancelled', `The start of ${this.serverKey} was ${how}.`);
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
      await this.#endLeftovers();
      const connection = await this.#connect(AbortSignal.any([signal, starting.signal]), phased);
      this.#become({ name: 'connected' });
      return connection;
    } catch (error) {
      const failure = engineAway(error, this.serverKey) ?? error;
      this.#fail(error);
      this.#needs.onDown(this);
      throw failure;
    } finally {
      this.#starting = undefined;
    }
  }

  async #connect(signal: AbortSignal, onPhase: OnPhase): Promise<Connection> {
    const { agentId, serverKey } = this;
    const deadlines: Deadlines = { ...this.#needs.deadlines, ...this.#planned.deadlines };
    const olderEra = this.lastSaid?.olderEra;
    const connection = await this.#needs.connect({
      agentId,
      serverKey,
      planned: this.#planned,
      ...(olderEra && { olderEra }),
      deadlines,
      signal,
      onPhase,
    });
    this.#connection = connection;
    connection.onNotice(notice => this.#needs.onNotice(this, notice));
    try {
      onPhase('listing');
      await this.#list(connection, signal, this.#dormant ? 'wake' : 'load');
      this.#dormant = false;
    } catch (error) {
      await this.#abandon(connection, error);
      throw error;
    }
    connection.onListChanged(() => void this.#relist(connection));
    this.wishes.meet(connection);
    // Observed for the life of the connection; a failure inside is turned into this server's state.
    void connection.ended.then(({ reason }) => this.#lost(connection, reason));
    return connection;
  }

  async #list(connection: Connection, signal: AbortSignal, reason: MountReason): Promise<void> {
    const discovery = await connection.discover(signal);
    this.#discovery = discovery;
    const { agentId, serverKey } = this;
    const { epoch, protocolVersion } = connection;
    this.#needs.mount.mount(
      { agentId, serverKey, epoch, protocolVersion, names: this.planned.config.names, ...discovery },
      reason,
    );
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

  /**
   * The server went away by itself: its handles are withdrawn at once, and where it comes back dormant ones stand in their
   * place, so that the next call waits for it. Its leftovers are removed in turn.
   */
  async #lost(connection: Connection, reason: string): Promise<void> {
    if (this.#connection !== connection || this.#state.name === 'closing') return;
    const error = new LongshoreError('connection-lost', `${this.serverKey} stopped: ${reason}`);
    this.#needs.mount.withdraw(this.agentId, this.serverKey, 'connection-lost');
    if (this.#needs.comesBack(this)) this.offerDormant(this.#discovery ?? nothing, connection.protocolVersion, 'load');
    this.#fail(error);
    try {
      await this.#queue.run(async () => {
        if (this.#connection === connection) await this.#abandon(connection, error);
      });
      this.#needs.onDown(this);
    } catch (left) {
      // It is this server's state by now, and a later unload tries again (R54).
      this.#needs.log.warn({ server: this.serverKey }, asLongshoreError(left).message);
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
        this.#waitForEngine(connection, away);
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

  /** It went away with its engine: its next call ends what is left of it, and starts it anew (R67). */
  #waitForEngine({ protocolVersion }: Connection, away: LongshoreError): void {
    if (this.#discovery && !this.#dormant) this.offerDormant(this.#discovery, protocolVersion, 'load');
    this.#become({ name: 'failed', error: away });
  }

  /** What an engine that was away has kept from being ended goes before anything new is started. */
  async #endLeftovers(): Promise<void> {
    if (this.#connection) await this.#abandon(this.#connection);
    await this.#unfinished?.();
    this.#unfinished = undefined;
  }

  async #close(reason: WithdrawReason): Promise<StopOutcome> {
    const handlesWithdrawn = this.#needs.mount.withdraw(this.agentId, this.serverKey, reason);
    const ran = this.#connection !== undefined || this.#unfinished !== undefined;
    this.#become({ name: 'closing' });
    try {
      await this.#connection?.close();
      await this.#unfinished?.();
      // Whatever the ledger still has of this server, a failed start left for inspection (R58, R62).
      const reclaimed = await this.#needs.reclaim(this.agentId, this.serverKey);
      if (this.#connection) this.#putAway(this.#connection);
      this.#unfinished = undefined;
      this.#discovery = undefined;
      this.#dormant = false;
      this.#become({ name: 'stopped' });
      return { process: ran || reclaimed > 0 ? 'removed' : 'not-running', handlesWithdrawn };
    } catch (error) {
      const failure = asLongshoreError(error, 'close-failed');
      this.#become({ name: 'close-failed', error: failure });
      throw failure;
    }
  }

  /** Of a connection that is closed its last words are kept. */
  #putAway(connection: Connection): void {
    this.#lastStderr = connection.stderrTail();
    this.#earlierLines += connection.stderrCount();
    this.#connection = undefined;
  }

  /** A start that failed has no connection to ask what it said. */
  #keepLastWords(error: unknown): void {
    const said = error instanceof LongshoreError ? error.data?.['stderr'] : undefined;
    if (this.#connection || !Array.isArray(said)) return;
    this.#lastStderr = said.filter(line => typeof line === 'string');
    this.#earlierLines += this.#lastStderr.length;
  }

  #fail(error: unknown): void {
    if (this.#state.name === 'close-failed') return;
    this.#keepLastWords(error);
    const isLeft = error instanceof UnfinishedStart;
    if (isLeft) this.#unfinished = error.close;
    const away = engineAway(error, this.serverKey);
    this.#become({ name: isLeft && !away ? 'close-failed' : 'failed', error: away ?? asLongshoreError(error) });
  }

  #become(state: ServerState): void {
    this.#state = state;
    this.#needs.onState(this);
  }
}

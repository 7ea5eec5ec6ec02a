import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Discovery } from '../connections/connection.ts';
import type { Authorise } from '../core/authorisation.ts';
import { asLongshoreError, type ErrorCode, LongshoreError } from '../core/errors.ts';
import { type AgentId, reservedServerKeys, type ServerKey, serverKey, sha256 } from '../core/ids.ts';
import type { ServerLife } from '../core/server-life.ts';
import type { WithdrawReason } from '../core/words.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { FleetDeps, ServerDeps } from './fleet-deps.ts';
import { ManagedServer, type StopOutcome } from './managed-server.ts';
import { ServerSlot } from './server-slot.ts';
import { isElsewhere, passing, Supervisor } from './supervisor.ts';

/** How a load or reload is told and stopped. */
export interface StartOptions {
  readonly signal: AbortSignal;
  readonly onPhase: OnPhase;
}

/** How a load treats a server that runs already: true to start it again, by the new plan. */
export type Replaces = (running: PlannedServer) => boolean;

/** A saved server at the start of a host: not started, but listed by what it offered when it was last seen. */
export interface Restored {
  readonly planned: PlannedServer;
  readonly serverKey: ServerKey;
  readonly last: { readonly discovery: Discovery; readonly protocolVersion: string } | undefined;
}

/** Where a saved server has neither a connection nor one under way. */
const atRest: ReadonlySet<ServerLife['name']> = new Set(['stopped', 'failed', 'restarting', 'crash-loop']);

/** Milliseconds that a remote server has for a sign of life. */
const lifeLimit = 5_000;

/**
 * All servers of all agents of one host. Agents never see each other's (R58). Whether there is a server under a key is
 * decided in the turns of its slot: a load that comes after an unload makes a new server, one that came before is ended by it.
 */
export class Fleet {
  readonly #slots = new Map<string, ServerSlot<ManagedServer>>();
  readonly #deps: FleetDeps;
  readonly #serverDeps: ServerDeps;
  readonly #supervisor: Supervisor;
  /** Keys of saved servers, also of those that are not here now. Those start on their first call, sleep when idle, and start again when they crash. */
  readonly #reserved = new Set<string>();
  #open = true;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#supervisor = new Supervisor(deps.clock, deps.log);
    this.#serverDeps = {
      ...deps,
      onState: server => this.#onState(server),
      comesBack: server => this.#comesBack(server),
      afterFailure: (server, error) =>
        this.#comesBack(server) ? this.#supervisor.crashed(server, error) : { name: 'failed', error },
      onStuck: server => this.#supervisor.forget(server),
    };
  }

  /** The wanted key, or with four hex digits of the server's identity where another server has it. */
  freeKey(agentId: AgentId, planned: PlannedServer): ServerKey {
    const suffixed = `${planned.wantedKey.slice(0, 59)}-${sha256(planned.identity).slice(0, 4)}`;
    for (const candidate of [planned.wantedKey, suffixed]) {
      const id = slotId(agentId, candidate);
      const isFree = !this.#slots.has(id) && !this.#reserved.has(id);
      const isItsOwn = planned.kind === 'gateway' || !reservedServerKeys.includes(candidate);
      if (isItsOwn && isFree) return serverKey(candidate);
    }
    throw new LongshoreError(
      'name-in-use',
      `Two servers of this agent would be called ${suffixed}; name one otherwise.`,
    );
  }

  /** Keeps a key for a saved server, whether it is here or not. */
  reserve(agentId: AgentId, key: ServerKey): void {
    this.#reserved.add(slotId(agentId, key));
  }

  /** The saved server is no more, and any server may have its key. */
  release(agentId: AgentId, key: ServerKey): void {
    this.#reserved.delete(slotId(agentId, key));
  }

  /** Takes a saved server in without starting it (R68); one that is here already is left as it is. */
  restore(agentId: AgentId, { planned, serverKey, last }: Restored): ManagedServer {
    this.reserve(agentId, serverKey);
    const slot = this.#slots.get(slotId(agentId, serverKey)) ?? this.#newSlot(agentId, serverKey, planned);
    if (slot.server) return slot.server;
    const server = this.#put(slot, planned);
    if (last) server.offerDormant(last.discovery, last.protocolVersion);
    return server;
  }

  /** From now on the server, if it is still here, is a saved one, started by that plan the next time. */
  keep(server: ManagedServer, planned: PlannedServer): void {
    this.reserve(server.agentId, server.serverKey);
    if (this.server(server.agentId, server.serverKey) === server) server.replan(planned);
  }

  /** Lists a saved server by what it was seen to offer meanwhile, unless it runs, starts or ends: then it lists itself. */
  offer(agentId: AgentId, key: ServerKey, { discovery, protocolVersion }: NonNullable<Restored['last']>): void {
    const server = this.server(agentId, key);
    if (server && atRest.has(server.state.name)) server.offerDormant(discovery, protocolVersion);
  }

  /** Puts every saved server to sleep that was idle for that many milliseconds; servers in use are left alone. */
  async sleepIdle(idle: number): Promise<void> {
    const resting = this.#servers().map(async server => {
      const { agentId, serverKey, subscriptions } = server;
      const mayRest = () =>
        this.#isSaved(server) && !subscriptions.keepAwake && (this.#deps.idleFor(agentId, serverKey) ?? -1) >= idle;
      if (server.connection && mayRest()) await server.sleep(mayRest);
    });
    for (const result of await Promise.allSettled(resting)) {
      if (result.status === 'rejected')
        this.#deps.log.warn({ error: String(result.reason) }, 'A server could not be put to sleep.');
    }
  }

  /**
   * Asks every connected remote server for a sign of life, and settles when all have given one or are being opened anew:
   * after a sleep of this machine, sessions and sockets may be gone without a word. Others slept along with it.
   */
  async checkRemotes(): Promise<void> {
    const remote = this.#servers().filter(isElsewhere);
    await Promise.all(remote.flatMap(server => server.connection?.checkLife(lifeLimit) ?? []));
  }

  /**
   * Starts a planned server, or returns the one that already runs for the same plan, started again by this one where
   * `replaces` says so. If that fails, the next start of a saved server is by the plan it had.
   */
  async load(
    agentId: AgentId,
    planned: PlannedServer,
    options: StartOptions,
    replaces: Replaces = () => false,
  ): Promise<ManagedServer> {
    this.#mustBeOpen();
    const slot = this.#slotOf(agentId, planned);
    if (slot.server && replaces(slot.server.planned)) slot.endRunningStart();
    return await slot.start(async unwanted => {
      const server = slot.server ?? this.#put(slot, planned);
      const signal = AbortSignal.any([options.signal, unwanted]);
      if (replaces(server.planned)) await this.#replace(server, planned, { ...options, signal });
      else await server.open(signal, options.onPhase);
      return server;
    });
  }

  /** Stops and starts a server again. Throws `unknown-server`. */
  async reload(agentId: AgentId, key: ServerKey, options: StartOptions): Promise<ManagedServer> {
    this.#mustBeOpen();
    const slot = this.#known(agentId, key);
    slot.endRunningStart();
    return await slot.start(async unwanted => {
      const { server } = slot;
      if (!server) throw this.#unknown(agentId, key);
      this.#supervisor.forget(server);
      await server.reopen(undefined, AbortSignal.any([options.signal, unwanted]), options.onPhase);
      return server;
    });
  }

  /**
   * Stops a server and forgets it; it stays listed while anything of it is left (R54). Starts that were asked for before
   * are ended by it. Throws `unknown-server`, or `close-failed`.
   */
  async unload(agentId: AgentId, key: ServerKey, reason: WithdrawReason = 'unload'): Promise<StopOutcome> {
    const slot = this.#known(agentId, key);
    // Asked before the start is aborted, which takes away what it has made.
    const held = this.#deps.held(agentId, key);
    slot.endStarts();
    if (slot.server) this.#supervisor.forget(slot.server);
    return await slot.run(async () => {
      const { server } = slot;
      // Another unload was first.
      if (!server) return { process: 'not-running', handlesWithdrawn: 0 };
      const outcome = await server.close(reason);
      this.#supervisor.forget(server);
      slot.server = undefined;
      return (await held) > 0 ? { ...outcome, process: 'removed' } : outcome;
    });
  }

  /** The live connection of a server, if it has one: not one that was lost a moment ago. */
  connection(agentId: AgentId, key: ServerKey): Connection | undefined {
    const connection = this.server(agentId, key)?.connection;
    return connection?.state.name === 'ready' ? connection : undefined;
  }

  /** The live connection, after starting the server if it sleeps. Throws `unknown-server` or why it does not start. */
  async wake(agentId: AgentId, key: ServerKey, signal: AbortSignal): Promise<Connection> {
    this.#mustBeOpen();
    const server = this.#knownServer(agentId, key);
    const { connection } = server;
    // It was lost a moment ago, which its server learns before we go on.
    if (connection && connection.state.name !== 'ready') await connection.ended;
    await this.#supervisor.nextTry(server, signal);
    const { state } = server;
    // A start that its caller gave up says nothing about the server, nor does an engine that is away; every other failure
    // stands until a person acts, unless asking again costs nothing.
    const passesBy: ReadonlySet<ErrorCode> = new Set(['cancelled', 'docker-unavailable']);
    const mayPass = (code: ErrorCode) => passesBy.has(code) || (isElsewhere(server) && passing.has(code));
    const stands = state.name === 'crash-loop' || (state.name === 'failed' && !mayPass(state.error.code));
    if (stands) throw state.error;
    return await server.start(signal, () => {});
  }

  /** Sets the log level of a server, now and on every later connection of it. Throws `unknown-server`, or as the connection does. */
  async setLogLevel(agentId: AgentId, key: ServerKey, level: string): Promise<void> {
    await this.#knownServer(agentId, key).subscriptions.setLogLevel(level);
  }

  /**
   * Hears of changes of a resource until disposed: the server is woken, stays awake, and is asked again each time it is
   * started anew, by a leave for each connection. Changes come as notices. Rejects as `wake` and as the connection's `subscribe` do.
   */
  async subscribe(
    agentId: AgentId,
    key: ServerKey,
    { uri, authorise, signal }: { readonly uri: string; readonly authorise: Authorise; readonly signal: AbortSignal },
  ): Promise<AsyncDisposable> {
    await this.wake(agentId, key, signal);
    const subscription = await this.#knownServer(agentId, key).subscriptions.subscribe(uri, authorise);
    if (!signal.aborted) return subscription;
    await subscription[Symbol.asyncDispose]();
    throw new LongshoreError('cancelled', `The subscription to ${uri} was cancelled.`);
  }

  server(agentId: AgentId, key: ServerKey): ManagedServer | undefined {
    return this.#slots.get(slotId(agentId, key))?.server;
  }

  /** An agent's servers, failed ones included (R58), in the order they were loaded. */
  list(agentId: AgentId): readonly ManagedServer[] {
    return this.#servers().filter(server => server.agentId === agentId);
  }

  /** Stops all servers of one agent in parallel; rejects with one error that names each server that is left (R4). */
  async unloadAll(agentId: AgentId): Promise<void> {
    await this.#stopAll([...this.#slots.values()].filter(slot => slot.agentId === agentId));
  }

  /**
   * Accepts no more starts and stops everything, starts that still wait for their turn included; may be called again to
   * retry what is left (R54).
   */
  async close(): Promise<void> {
    this.#open = false;
    await this.#stopAll([...this.#slots.values()]);
  }

  /**
   * Removes whatever this run still has in the ledger. For the end of a host, after everything was stopped: it has ended
   * only when the ledger says that nothing is left. Rejects with `close-failed`.
   */
  async reclaimLeft(): Promise<void> {
    const owners = new Map((await this.#deps.owners()).map(owner => [slotId(owner.agentId, owner.serverKey), owner]));
    const left = [...owners.values()].map(async ({ agentId, serverKey }) => {
      await this.#deps.reclaim(agentId, serverKey);
    });
    await allStopped([...owners.keys()], left);
  }

  async #stopAll(slots: readonly ServerSlot<ManagedServer>[]): Promise<void> {
    const stops = slots.map(({ agentId, serverKey }) => this.unload(agentId, serverKey, 'shutdown'));
    await allStopped(
      slots.map(slot => slot.serverKey),
      stops,
    );
  }

  async #replace(server: ManagedServer, planned: PlannedServer, { signal, onPhase }: StartOptions): Promise<void> {
    const before = server.planned;
    this.#supervisor.forget(server);
    try {
      await server.reopen(planned, signal, onPhase);
    } catch (error) {
      if (this.#isSaved(server)) server.replan(before);
      throw error;
    }
  }

  /** The slot of the server that has, or is about to have, that plan; else a new one, with the server in it at once. */
  #slotOf(agentId: AgentId, planned: PlannedServer): ServerSlot<ManagedServer> {
    for (const slot of this.#slots.values()) {
      if (slot.agentId === agentId && slot.identity === planned.identity) return slot;
    }
    const slot = this.#newSlot(agentId, this.freeKey(agentId, planned), planned);
    this.#put(slot, planned);
    return slot;
  }

  #newSlot(agentId: AgentId, key: ServerKey, { identity }: PlannedServer): ServerSlot<ManagedServer> {
    const id = slotId(agentId, key);
    const slot: ServerSlot<ManagedServer> = new ServerSlot(agentId, key, identity, () => {
      // What comes too late for a server that is gone may end after the key was taken again.
      if (this.#slots.get(id) === slot) this.#slots.delete(id);
    });
    this.#slots.set(id, slot);
    return slot;
  }

  #put(slot: ServerSlot<ManagedServer>, planned: PlannedServer): ManagedServer {
    slot.identity = planned.identity;
    slot.server = new ManagedServer(slot, planned, this.#serverDeps);
    return slot.server;
  }

  #servers(): readonly ManagedServer[] {
    return [...this.#slots.values()].flatMap(({ server }) => server ?? []);
  }

  #known(agentId: AgentId, key: ServerKey): ServerSlot<ManagedServer> {
    const slot = this.#slots.get(slotId(agentId, key));
    if (slot) return slot;
    throw this.#unknown(agentId, key);
  }

  #knownServer(agentId: AgentId, key: ServerKey): ManagedServer {
    const server = this.server(agentId, key);
    if (server) return server;
    throw this.#unknown(agentId, key);
  }

  #unknown(agentId: AgentId, key: ServerKey): LongshoreError {
    const names = this.list(agentId).map(one => one.serverKey);
    const known = names.length === 0 ? 'no server is loaded' : `loaded are ${names.join(', ')}`;
    return new LongshoreError('unknown-server', `There is no server ${JSON.stringify(key)}: ${known}.`);
  }

  #onState(server: ManagedServer): void {
    if (server.state.name === 'connected' && this.#comesBack(server)) this.#supervisor.connected(server);
    this.#deps.onState(server);
  }

  #isSaved({ agentId, serverKey }: ManagedServer): boolean {
    return this.#reserved.has(slotId(agentId, serverKey));
  }

  #comesBack(server: ManagedServer): boolean {
    // What never worked is for whoever loads it to try again.
    const worked = server.discovery !== undefined;
    return this.#open && (this.#isSaved(server) || (isElsewhere(server) && worked));
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new LongshoreError('server-closing', 'This host is closing; it starts no more servers.');
  }
}

/** Waits for all; rejects with one error that names each that failed. */
async function allStopped(names: readonly string[], stops: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(stops)).flatMap((result, index) =>
    result.status === 'rejected' ? [{ name: names[index] ?? '', reason: result.reason as unknown }] : [],
  );
  if (failed.length === 0) return;
  const texts = failed.map(({ name, reason }) => `${name}: ${asLongshoreError(reason).message}`);
  throw new LongshoreError('close-failed', `Not everything could be stopped. ${texts.join('; ')}`, {
    cause: new AggregateError(failed.map(({ reason }) => reason)),
  });
}

function slotId(agentId: AgentId, key: string): string {
  return `${agentId} ${key}`;
}

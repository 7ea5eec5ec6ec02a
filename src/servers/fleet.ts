import type { PlannedServer } from '../config/planned-server.ts';
import type { Connection, Discovery } from '../connections/connection.ts';
import { type ErrorCode, LongshoreError } from '../core/errors.ts';
import { type AgentId, reservedServerKeys, type ServerKey, serverKey, sha256 } from '../core/ids.ts';
import type { WithdrawReason } from '../core/words.ts';
import { imageServerId } from '../docker/image-reference.ts';
import type { OnPhase } from '../runners/runner.ts';
import type { FleetNeeds, MemberNeeds } from './fleet-needs.ts';
import { ServerMember, type StopOutcome } from './server-member.ts';
import { isElsewhere, passing, Supervisor } from './supervisor.ts';

/** How a load or reload is told and stopped. */
export interface StartOptions {
  readonly signal: AbortSignal;
  readonly onPhase: OnPhase;
}

/** A saved server at the start of a host: not started, but listed by what it offered when it was last seen. */
export interface Restored {
  readonly planned: PlannedServer;
  readonly serverKey: ServerKey;
  readonly last: { readonly discovery: Discovery; readonly protocolVersion: string } | undefined;
}

/** Where a saved server has neither a connection nor one under way. */
const atRest: ReadonlySet<ServerMember['state']['name']> = new Set(['stopped', 'failed', 'restarting', 'crash-loop']);

/** Milliseconds that a remote server has for a sign of life. */
const lifeLimit = 5_000;

/** All servers of all agents of one host. Agents never see each other's (R58). */
export class Fleet {
  readonly #members = new Map<string, ServerMember>();
  readonly #needs: FleetNeeds;
  readonly #memberNeeds: MemberNeeds;
  readonly #supervisor: Supervisor;
  /** Saved servers: they start on their first call, sleep when idle, and start again when they crash. */
  readonly #saved = new Set<ServerMember>();
  /** Keys that belong to saved servers, also to those that are not here now. */
  readonly #reserved = new Set<string>();
  #open = true;

  constructor(needs: FleetNeeds) {
    this.#needs = needs;
    this.#supervisor = new Supervisor(needs.clock, needs.log);
    this.#memberNeeds = {
      ...needs,
      onState: member => this.#onState(member),
      comesBack: member => this.#comesBack(member),
      onDown: member => this.#onDown(member),
    };
  }

  /** The wanted key, or with four hex digits of the server's identity where another server has it (design.md, "server key"). */
  freeKey(agentId: AgentId, planned: PlannedServer): ServerKey {
    const suffixed = `${planned.wantedKey.slice(0, 59)}-${sha256(planned.identity).slice(0, 4)}`;
    for (const candidate of [planned.wantedKey, suffixed]) {
      const id = memberId(agentId, candidate);
      const isFree = !this.#members.has(id) && !this.#reserved.has(id);
      if (!reservedServerKeys.includes(candidate) && isFree) return serverKey(candidate);
    }
    throw new LongshoreError(
      'name-in-use',
      `Two servers of this agent would be called ${suffixed}; name one otherwise.`,
    );
  }

  /** Keeps a key for a saved server, whether it is here or not. */
  reserve(agentId: AgentId, key: ServerKey): void {
    this.#reserved.add(memberId(agentId, key));
  }

  /** The saved server is no more, and any server may have its key. */
  release(agentId: AgentId, key: ServerKey): void {
    this.#reserved.delete(memberId(agentId, key));
  }

  /** Takes a saved server in without starting it (R68); one that is here already is left as it is. */
  restore(agentId: AgentId, { planned, serverKey, last }: Restored): ServerMember {
    const existing = this.member(agentId, serverKey);
    if (existing) return existing;
    this.reserve(agentId, serverKey);
    const member = new ServerMember(agentId, serverKey, planned, this.#memberNeeds);
    this.#members.set(memberId(agentId, serverKey), member);
    this.#saved.add(member);
    if (last) member.offerDormant(last.discovery, last.protocolVersion, 'load');
    return member;
  }

  /** From now on the server, if it is still here, is a saved one, started by that plan the next time. */
  keep(member: ServerMember, planned: PlannedServer): void {
    this.reserve(member.agentId, member.serverKey);
    if (this.member(member.agentId, member.serverKey) !== member) return;
    this.#saved.add(member);
    member.replan(planned);
  }

  /** Lists a saved server by what it was seen to offer meanwhile, unless it runs, starts or ends: then it lists itself. */
  offer(agentId: AgentId, key: ServerKey, { discovery, protocolVersion }: NonNullable<Restored['last']>): void {
    const member = this.member(agentId, key);
    if (member && atRest.has(member.state.name)) member.offerDormant(discovery, protocolVersion, 'load');
  }

  /** Puts every saved server to sleep that was idle for that many milliseconds; servers in use are left alone. */
  async sleepIdle(idle: number): Promise<void> {
    const resting = [...this.#saved].map(async member => {
      const { agentId, serverKey, wishes } = member;
      const mayRest = () => !wishes.keepAwake && (this.#needs.idleFor(agentId, serverKey) ?? -1) >= idle;
      if (member.connection && mayRest()) await member.sleep(mayRest);
    });
    for (const result of await Promise.allSettled(resting)) {
      if (result.status === 'rejected')
        this.#needs.log.warn({ error: String(result.reason) }, 'A server could not be put to sleep.');
    }
  }

  /**
   * Asks every connected remote server for a sign of life, and settles when all have given one or are being opened anew:
   * after a sleep of this machine, sessions and sockets may be gone without a word. Others slept along with it.
   */
  async checkRemotes(): Promise<void> {
    const remote = [...this.#members.values()].filter(isElsewhere);
    await Promise.all(remote.flatMap(member => member.connection?.checkLife(lifeLimit) ?? []));
  }

  /** Starts a planned server, or returns the one that already runs for the same plan. */
  async load(agentId: AgentId, planned: PlannedServer, options: StartOptions): Promise<ServerMember> {
    this.#mustBeOpen();
    const member = this.#memberFor(agentId, planned);
    await member.start(options.signal, options.onPhase);
    return member;
  }

  /** Stops and starts a server again; with a plan, by that plan. Throws `unknown-server`. */
  async reload(
    agentId: AgentId,
    key: ServerKey,
    options: StartOptions,
    planned?: PlannedServer,
  ): Promise<ServerMember> {
    this.#mustBeOpen();
    const member = this.#known(agentId, key);
    this.#supervisor.forget(member);
    await member.reload(planned, options.signal, options.onPhase);
    return member;
  }

  /** Stops a server and forgets it; it stays listed while anything of it is left (R54). Throws `unknown-server`. */
  async unload(agentId: AgentId, key: ServerKey, reason: WithdrawReason = 'unload'): Promise<StopOutcome> {
    const member = this.#known(agentId, key);
    this.#supervisor.forget(member);
    const outcome = await member.stop(reason);
    // Another start may have been queued behind this stop; then the server is wanted again.
    if (member.state.name === 'stopped') {
      this.#members.delete(memberId(agentId, key));
      this.#saved.delete(member);
    }
    return outcome;
  }

  /** The live connection of a server, if it has one: not one that was lost a moment ago. */
  connection(agentId: AgentId, key: ServerKey): Connection | undefined {
    const connection = this.member(agentId, key)?.connection;
    return connection?.state.name === 'ready' ? connection : undefined;
  }

  /** The live connection, after starting the server if it sleeps. Throws `unknown-server` or why it does not start. */
  async wake(agentId: AgentId, key: ServerKey, signal: AbortSignal): Promise<Connection> {
    this.#mustBeOpen();
    const member = this.#known(agentId, key);
    const { connection } = member;
    // It was lost a moment ago, which its server learns before we go on.
    if (connection && connection.state.name !== 'ready') await connection.ended;
    await this.#supervisor.nextTry(member, signal);
    const { state } = member;
    // A start that its caller gave up says nothing about the server, nor does an engine that is away; every other failure
    // stands until a person acts, unless asking again costs nothing.
    const passesBy: ReadonlySet<ErrorCode> = new Set(['cancelled', 'docker-unavailable']);
    const mayPass = (code: ErrorCode) => passesBy.has(code) || (isElsewhere(member) && passing.has(code));
    const stands = state.name === 'crash-loop' || (state.name === 'failed' && !mayPass(state.error.code));
    if (stands) throw state.error;
    return await member.start(signal, () => {});
  }

  /** Sets the log level of a server, now and on every later connection of it. Throws `unknown-server`, or as the connection does. */
  async setLogLevel(agentId: AgentId, key: ServerKey, level: string): Promise<void> {
    await this.#known(agentId, key).wishes.setLogLevel(level);
  }

  /**
   * Hears of changes of a resource until disposed: the server is woken, stays awake, and is asked again each time it is
   * started anew. Changes come as notices. Rejects as `wake` and as the connection's `subscribe` do.
   */
  async subscribe(agentId: AgentId, key: ServerKey, uri: string, signal: AbortSignal): Promise<AsyncDisposable> {
    await this.wake(agentId, key, signal);
    const subscription = await this.#known(agentId, key).wishes.subscribe(uri);
    if (!signal.aborted) return subscription;
    await subscription[Symbol.asyncDispose]();
    throw new LongshoreError('cancelled', `The subscription to ${uri} was cancelled.`);
  }

  member(agentId: AgentId, key: ServerKey): ServerMember | undefined {
    return this.#members.get(memberId(agentId, key));
  }

  /** The server that a person means: by its key, its name, or the identity that its plan has. */
  find(agentId: AgentId, ref: string): ServerMember | undefined {
    const own = this.list(agentId);
    return own.find(one => one.serverKey === ref) ?? own.find(one => isNamed(one, ref));
  }

  /** An agent's servers, failed ones included (R58), in the order they were loaded. */
  list(agentId: AgentId): readonly ServerMember[] {
    return [...this.#members.values()].filter(member => member.agentId === agentId);
  }

  /** Stops all servers of one agent in parallel; rejects with one error that names each server that is left (R4). */
  async unloadAll(agentId: AgentId): Promise<void> {
    await this.#stopAll(this.list(agentId));
  }

  /** Accepts no more starts and stops everything; may be called again to retry what is left (R54). */
  async close(): Promise<void> {
    this.#open = false;
    await this.#stopAll([...this.#members.values()]);
  }

  async #stopAll(members: readonly ServerMember[]): Promise<void> {
    const stops = members.map(member => this.unload(member.agentId, member.serverKey, 'shutdown'));
    const failures: unknown[] = [];
    const names: string[] = [];
    for (const [index, result] of (await Promise.allSettled(stops)).entries()) {
      if (result.status === 'fulfilled') continue;
      failures.push(result.reason);
      names.push(`${members[index]?.serverKey}: ${String(result.reason)}`);
    }
    if (failures.length === 0) return;
    throw new LongshoreError('close-failed', `Not everything could be stopped. ${names.join('; ')}`, {
      cause: new AggregateError(failures),
    });
  }

  #memberFor(agentId: AgentId, planned: PlannedServer): ServerMember {
    for (const member of this.list(agentId)) {
      if (member.planned.identity === planned.identity) return member;
    }
    const key = this.freeKey(agentId, planned);
    const member = new ServerMember(agentId, key, planned, this.#memberNeeds);
    this.#members.set(memberId(agentId, key), member);
    return member;
  }

  #known(agentId: AgentId, key: ServerKey): ServerMember {
    const member = this.member(agentId, key);
    if (member) return member;
    const names = this.list(agentId).map(one => one.serverKey);
    const known = names.length === 0 ? 'no server is loaded' : `loaded are ${names.join(', ')}`;
    throw new LongshoreError('unknown-server', `There is no server ${JSON.stringify(key)}: ${known}.`);
  }

  #onState(member: ServerMember): void {
    if (member.state.name === 'connected' && this.#comesBack(member)) this.#supervisor.connected(member);
    this.#needs.onState(member);
  }

  #onDown(member: ServerMember): void {
    if (this.#comesBack(member) && member.state.name === 'failed') this.#supervisor.crashed(member, member.state.error);
  }

  #comesBack(member: ServerMember): boolean {
    // What never worked is for whoever loads it to try again.
    const worked = member.discovery !== undefined;
    return this.#open && (this.#saved.has(member) || (isElsewhere(member) && worked));
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new LongshoreError('server-closing', 'This host is closing; it starts no more servers.');
  }
}

/** By the name of its plan, its identity, or the full id that its container has (R32). */
function isNamed({ planned, agentId }: ServerMember, ref: string): boolean {
  const { image } = planned;
  if (image !== undefined && ref.startsWith('mcp-') && imageServerId(agentId, image) === ref) return true;
  return (
    planned.name === ref ||
    planned.identity === ref ||
    planned.identity === `image:${ref}` ||
    planned.identity === `image:${ref}:latest`
  );
}

function memberId(agentId: AgentId, key: string): string {
  return `${agentId} ${key}`;
}
